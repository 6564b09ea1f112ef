// Rounding to odd, the first step of a conversion to a half. Rounding to nearest twice may be one unit off; rounding to
// odd first never is.
#pragma once

#include <bit>
#include <cstdint>

namespace lutra {

// x as float32, rounded to odd, so that a later rounding to fewer digits sees what this one cut off. Computed on
// integers, because loops that select floats by comparing doubles do not vectorise.
[[gnu::always_inline]] constexpr inline float rounded_to_odd(double x) {
  float near = static_cast<float>(x);
  // The part cut off, scaled far above float32's smallest numbers: 0 if nothing was cut off, nan if x is not finite.
  float rest = static_cast<float>((x - static_cast<double>(near)) * 0x1p120);
  uint32_t bits = std::bit_cast<uint32_t>(near), rest_bits = std::bit_cast<uint32_t>(rest);
  uint32_t is_inexact = (rest_bits & 0x7fffffffu) - 1u < 0x7f800000u ? 1u : 0u;
  uint32_t towards = 1u - ((bits ^ rest_bits) >> 31) * 2u;  // 1 or -1
  return std::bit_cast<float>(bits + (is_inexact & ~bits & 1u) * towards);
}

// An integer as a double: exact up to 2^53, rounded to odd above.
constexpr double rounded_to_odd(int64_t x) {
  constexpr int64_t kExact = int64_t{1} << 53, kRest = (1 << 11) - 1;
  if (x <= kExact && x >= -kExact) return static_cast<double>(x);
  return static_cast<double>((x & ~kRest) | ((x & kRest) != 0 ? kRest + 1 : 0));
}

}  // namespace lutra
