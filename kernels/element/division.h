// Division that rounds down, and the remainder that goes with it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/element/element.h"

namespace lutra {

template <class T> struct Divided { T quotient, remainder; };

// NumPy's npy_divmod: the remainder is exact, and the quotient follows from it.
template <class T>
requires std::is_floating_point_v<T>
constexpr Divided<T> floor_divide(T a, T b) {
  T mod = std::fmod(a, b);
  if (b == 0) return {a / b, mod};
  T div = (a - mod) / b;
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) {
      mod += b;
      div -= 1;
    }
  } else {
    mod = std::copysign(T(0), b);
  }
  T whole = std::floor(div);
  if (div != 0) {
    if (div - whole > T(0.5)) whole += 1;
  } else {
    whole = std::copysign(T(0), a / b);
  }
  return {whole, mod};
}

// The same for float32 in steps that vectorise, where |a / b| is below 2^29 and b is finite and not 0 (not
// is_far_apart). The truncated quotient then has so few digits that its product with b is exact in double, and so is
// the remainder.
[[gnu::always_inline]] inline Divided<float> floor_divide_near(float a, float b) {
  double size = std::fabs(static_cast<double>(a)), by = std::fabs(static_cast<double>(b));
  double ratio = size / by;
  double near = (ratio + 0x1p52) - 0x1p52;
  double rest = size - (near > ratio ? near - 1.0 : near) * by;
  // A quotient just below an integer may have been rounded to it.
  rest = rest < 0 ? rest + by : rest;
  float mod = std::copysign(static_cast<float>(rest), a);
  bool rounds_down = (mod != 0) & ((b < 0) != (mod < 0));
  float div = (a - mod) / b - (rounds_down ? 1.0f : 0.0f);
  mod = std::copysign(rounds_down ? mod + b : mod, b);
  // The floor of div, or the integer above if that is nearer.
  float whole = static_cast<float>(static_cast<int32_t>(div));
  whole -= whole > div ? 1.0f : 0.0f;
  whole += div - whole > 0.5f ? 1.0f : 0.0f;
  float zero = std::copysign(1.0f, a) * std::copysign(0.0f, b);
  return {div == 0 ? zero : whole, mod};
}
[[gnu::always_inline]] inline bool is_far_apart(float a, float b) {
  float by = std::fabs(b);
  return !((std::fabs(a) * 0x1p-28f < by) & (by <= std::numeric_limits<float>::max()));
}

// Integers; a division by zero gives 0 and 0. Below 64 bits the truncated quotient of two floats of enough digits is
// exact, and such loops vectorise, unlike processors' integer division.
template <class T>
requires std::is_integral_v<T>
[[gnu::always_inline]] constexpr inline Divided<T> floor_divide(T a, T b) {
  // The smallest integer cannot be negated.
  bool negates = std::is_signed_v<T> && b == static_cast<T>(-1);
  T divisor = (b == 0) | negates ? T(1) : b;
  T quotient;
  if constexpr (sizeof(T) == 8) {
    quotient = a / divisor;
  } else {
    using F = std::conditional_t<sizeof(T) == 4, double, float>;
    quotient = static_cast<T>(static_cast<int32_t>(static_cast<F>(a) / static_cast<F>(divisor)));
  }
  T remainder = static_cast<T>(Wrapping<T>(a) - Wrapping<T>(quotient) * Wrapping<T>(divisor));
  bool rounds_down = (remainder != 0) & ((a < 0) != (b < 0));
  quotient = static_cast<T>(Wrapping<T>(quotient) - Wrapping<T>(rounds_down));
  remainder = static_cast<T>(Wrapping<T>(remainder) + (rounds_down ? Wrapping<T>(b) : Wrapping<T>(0)));
  quotient = negates ? static_cast<T>(0 - Wrapping<T>(a)) : quotient;
  return {b == 0 ? T(0) : quotient, b == 0 ? T(0) : remainder};
}

// The same for numbers of at most 51 bits (not is_far_apart): doubles hold them, their quotient rounded to the nearest
// integer, and the remainder. Adding 1 to the double 0x1.8p52 adds 1 to its bits.
[[gnu::always_inline]] inline Divided<int64_t> floor_divide_near(int64_t a, int64_t b) {
  constexpr double kMiddle = 0x1.8p52;
  constexpr int64_t kMiddleBits = std::bit_cast<int64_t>(kMiddle);
  double x = std::bit_cast<double>(a + kMiddleBits) - kMiddle, y = std::bit_cast<double>(b + kMiddleBits) - kMiddle;
  double whole = (x / y + kMiddle) - kMiddle;
  double rest = x - whole * y;
  bool rounds_down = (rest != 0) & ((rest < 0) != (y < 0));
  whole -= rounds_down ? 1.0 : 0.0;
  rest += rounds_down ? y : 0.0;
  return {std::bit_cast<int64_t>(whole + kMiddle) - kMiddleBits, std::bit_cast<int64_t>(rest + kMiddle) - kMiddleBits};
}
[[gnu::always_inline]] inline bool is_far_apart(int64_t a, int64_t b) {
  constexpr uint64_t kLimit = uint64_t{1} << 50;
  return (static_cast<uint64_t>(a) + kLimit >= 2 * kLimit) | (static_cast<uint64_t>(b) + kLimit >= 2 * kLimit) |
         (b == 0);
}

}  // namespace lutra
