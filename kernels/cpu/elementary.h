// exp, log, tanh and the logistic function without branches, tables or calls, so that loops over them vectorise; the
// same bits for every width, since multiplications and additions stay separate. Within 1.5 units in the last place, the
// logistic function 2.5. Polynomials: Cephes (float32, and tanh), fdlibm (float64).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/random_math.h"

namespace lutra {

template <class T> struct FloatForm {
  static constexpr bool kIsFloat = std::is_same_v<T, float>;
  using Bits = std::conditional_t<kIsFloat, uint32_t, uint64_t>;
  static constexpr int kMantissa = kIsFloat ? 23 : 52;
  static constexpr Bits kBias = kIsFloat ? 127 : 1023;
  // Added to a small number it rounds to an integer, which then stands in the lowest bits.
  static constexpr T kRounder = kIsFloat ? T(0x1.8p23) : T(0x1.8p52);
};

// 2^n for `shifted` = kRounder + n.
template <class T> [[gnu::always_inline]] inline T power_of_two(T shifted) {
  using F = FloatForm<T>;
  return std::bit_cast<T>((std::bit_cast<typename F::Bits>(shifted) + F::kBias) << F::kMantissa);
}

// e^(high - low), at most half a power of two from 1.
[[gnu::always_inline]] inline float exp_near_one(float high, float low) {
  float r = high - low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return p * (r * r) + r + 1.0f;
}
[[gnu::always_inline]] inline double exp_near_one(double high, double low) {
  double r = high - low;
  double t = r * r;
  double p = 4.13813679705723846039e-08;
  p = p * t - 1.65339022054652515390e-06;
  p = p * t + 6.61375632143793436117e-05;
  p = p * t - 2.77777777770155933842e-03;
  p = p * t + 1.66666666666666019037e-01;
  double c = r - t * p;
  return 1.0 - ((low - r * c / (2.0 - c)) - high);
}

// ln 2 in two parts: the first has few enough bits that its product with an exponent is exact.
template <class T>
inline constexpr T kLn2High = FloatForm<T>::kIsFloat ? T(0.693359375) : T(6.93147180369123816490e-01);
template <class T>
inline constexpr T kLn2Low = FloatForm<T>::kIsFloat ? T(-2.12194440e-4) : T(1.90821492927058770002e-10);

template <class T> [[gnu::always_inline]] inline T exp_of(T x) {
  using F = FloatForm<T>;
  // From there on the result is 0 or inf all the same. nan passes both comparisons.
  constexpr T kLow = F::kIsFloat ? T(-104) : T(-746), kHigh = F::kIsFloat ? T(89) : T(710);
  x = x < kLow ? kLow : x;
  x = x > kHigh ? kHigh : x;
  T n = (x * T(1.44269504088896340736) + F::kRounder) - F::kRounder;
  T y = exp_near_one(x - n * kLn2High<T>, n * kLn2Low<T>);
  // 2^n in two factors, for results that are subnormal or next to inf.
  T half = n * T(0.5) + F::kRounder;
  T rest = (n - (half - F::kRounder)) + F::kRounder;
  return y * power_of_two(half) * power_of_two(rest);
}

// 0 gives -inf, less gives nan.
template <class T> [[gnu::always_inline]] inline T log_of(T x) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  constexpr Bits kSqrtHalf = F::kIsFloat ? Bits(0x3f3504f3) : Bits(0x3fe6a09e667f3bcd);
  constexpr Bits kLift = Bits{F::kIsFloat ? 128u : 1024u} << F::kMantissa;  // keeps the exponent positive
  constexpr Bits kWhole = std::bit_cast<Bits>(F::kIsFloat ? T(0x1p23) : T(0x1p52));
  constexpr T kInf = std::numeric_limits<T>::infinity();
  bool is_subnormal = x < std::numeric_limits<T>::min();
  // bits are those of 2^e m with m in [sqrt(1/2), sqrt(2)).
  Bits bits = std::bit_cast<Bits>(is_subnormal ? x * std::bit_cast<T>(kWhole) : x);
  Bits lifted = bits - kSqrtHalf + kLift;
  T m = std::bit_cast<T>(bits - (lifted & ~((Bits{1} << F::kMantissa) - 1)) + kLift);
  T e = std::bit_cast<T>((lifted >> F::kMantissa) | kWhole) -
        (std::bit_cast<T>(kWhole) + (F::kIsFloat ? T(128) : T(1024)));
  e -= is_subnormal ? T(F::kMantissa) : T(0);
  T result = e * kLn2High<T> + (log_of_unit(m) + e * kLn2Low<T>);
  result = x == kInf ? kInf : result;
  return x > 0 ? result : x == 0 ? -kInf : std::numeric_limits<T>::quiet_NaN();
}

// tanh for 0 <= x < 0.625.
[[gnu::always_inline]] inline float tanh_near_zero(float x) {
  float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  return p * z * x + x;
}
[[gnu::always_inline]] inline double tanh_near_zero(double x) {
  double z = x * x;
  double p = -9.64399179425052238628e-1 * z - 9.92877231001918586564e1;
  p = p * z - 1.61468768441708447952e3;
  double q = z + 1.12811678491632931402e2;
  q = q * z + 2.23548839060100448583e3;
  q = q * z + 4.84406305325125486048e3;
  return x + x * (z * p / q);
}

template <class T> [[gnu::always_inline]] inline T tanh_of(T x) {
  T a = std::fabs(x);
  T far = T(1) - T(2) / (exp_of(a + a) + T(1));
  return std::copysign(a < T(0.625) ? tanh_near_zero(a) : far, x);
}

// 1 / (1 + e^-x), without an overflow on either side.
template <class T> [[gnu::always_inline]] inline T sigmoid_of(T x) {
  T e = exp_of(-std::fabs(x));
  return (x < 0 ? e : T(1)) / (T(1) + e);
}

}  // namespace lutra
