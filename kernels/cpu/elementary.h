// exp, log and what is made of them, without branches, tables or calls, so that loops over them vectorise; the same
// bits for every width, since multiplications and additions stay separate. In units in the last place, subnormal
// results included: exp, expm1, log, tanh within 1.5; log1p, sinh, cosh, softplus within 2; the logistic function
// within 2.5, times its argument within 4 (tests/unit/kernels/elementary_test.cpp). Polynomials: Cephes (float32, and
// tanh), fdlibm (float64), sinh's is fitted at Chebyshev nodes. The circular functions are in trigonometric.h, erf in
// error_function.h.
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
  static constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  // Added to a small number it rounds to an integer, which then stands in the lowest bits.
  static constexpr T kRounder = kIsFloat ? T(0x1.8p23) : T(0x1.8p52);
};

// 2^n for `shifted` = kRounder + n.
template <class T> [[gnu::always_inline]] inline T power_of_two(T shifted) {
  using F = FloatForm<T>;
  return std::bit_cast<T>((std::bit_cast<typename F::Bits>(shifted) + F::kBias) << F::kMantissa);
}

// x without the lower half of its digits: the square of what is left is exact.
template <class T> [[gnu::always_inline]] inline T upper_half(T x) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  return std::bit_cast<T>(std::bit_cast<Bits>(x) & ~((Bits{1} << (F::kMantissa / 2 + 1)) - 1));
}

// (e^r - 1 - r) / r^2 and e^r - 1 - r, |r| at most half of ln 2.
[[gnu::always_inline]] inline float exp_polynomial(float r) {
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  return p * r + 5.0000001201e-1f;
}
[[gnu::always_inline]] inline double exp_quotient(double r) {
  double t = r * r;
  double p = 4.13813679705723846039e-08;
  p = p * t - 1.65339022054652515390e-06;
  p = p * t + 6.61375632143793436117e-05;
  p = p * t - 2.77777777770155933842e-03;
  p = p * t + 1.66666666666666019037e-01;
  double c = r - t * p;
  return r * c / (2.0 - c);
}
// e^(high - low), at most half a power of two from 1.
[[gnu::always_inline]] inline float exp_near_one(float high, float low) {
  float r = high - low;
  return exp_polynomial(r) * (r * r) + r + 1.0f;
}
[[gnu::always_inline]] inline double exp_near_one(double high, double low) {
  return 1.0 - ((low - exp_quotient(high - low)) - high);
}
// The same without its first two terms: e^(high - low) - 1 - high.
[[gnu::always_inline]] inline float exp_tail(float high, float low) {
  float r = high - low;
  return exp_polynomial(r) * (r * r) - low;
}
[[gnu::always_inline]] inline double exp_tail(double high, double low) { return exp_quotient(high - low) - low; }

// ln 2 in two parts: the first has few enough bits that its product with an exponent is exact.
template <class T>
inline constexpr T kLn2High = FloatForm<T>::kIsFloat ? T(0.693359375) : T(6.93147180369123816490e-01);
template <class T>
inline constexpr T kLn2Low = FloatForm<T>::kIsFloat ? T(-2.12194440e-4) : T(1.90821492927058770002e-10);

// Outside of them e^x is 0 or inf, also when multiplied by a number up to 10^6.
template <class T> inline constexpr T kExpLow = FloatForm<T>::kIsFloat ? T(-120) : T(-760);
template <class T> inline constexpr T kExpHigh = FloatForm<T>::kIsFloat ? T(90) : T(711);

// factor * e^(x - low), `low` a correction of x. The factor goes in before the power of two, so that nothing is lost
// when e^x alone is subnormal or past the largest number. nan passes.
template <class T> [[gnu::always_inline]] inline T scaled_exp(T factor, T x, T low) {
  using F = FloatForm<T>;
  x = x < kExpLow<T> ? kExpLow<T> : x;
  x = x > kExpHigh<T> ? kExpHigh<T> : x;
  T n = (x * T(1.44269504088896340736) + F::kRounder) - F::kRounder;
  T y = exp_near_one(x - n * kLn2High<T>, n * kLn2Low<T> + low);
  // 2^n in two factors, for results that are subnormal or next to inf.
  T half = n * T(0.5) + F::kRounder;
  T rest = (n - (half - F::kRounder)) + F::kRounder;
  return factor * y * power_of_two(half) * power_of_two(rest);
}

template <class T> [[gnu::always_inline]] inline T exp_of(T x) { return scaled_exp(T(1), x, T(0)); }

// The same bits with half of the work where |x| is at most kPlainExp, so that e^x is normal, and factor * e^x as well.
template <class T> inline constexpr T kPlainExp = FloatForm<T>::kIsFloat ? T(87) : T(708);
template <class T> [[gnu::always_inline]] inline T plain_scaled_exp(T factor, T x, T low) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  T shifted = x * T(1.44269504088896340736) + F::kRounder;
  T n = shifted - F::kRounder;
  T y = exp_near_one(x - n * kLn2High<T>, n * kLn2Low<T> + low);
  return factor * std::bit_cast<T>(std::bit_cast<Bits>(y) + (std::bit_cast<Bits>(shifted) << F::kMantissa));
}
template <class T> [[gnu::always_inline]] inline T plain_exp(T x) { return plain_scaled_exp(T(1), x, T(0)); }

// e^x - 1, also where e^x rounds to 1.
template <class T> [[gnu::always_inline]] inline T expm1_of(T x) {
  using F = FloatForm<T>;
  constexpr T kLow = T(-40);  // -1 from there on
  T at = x < kLow ? kLow : x;
  at = at > kExpHigh<T> ? kExpHigh<T> : at;
  T n = (at * T(1.44269504088896340736) + F::kRounder) - F::kRounder;
  T high = at - n * kLn2High<T>;
  // 2^n (e^r - 2^-n); of a large n, 2^-n vanishes beside 1.
  T shrunk = power_of_two(F::kRounder - (n > T(60) ? T(60) : n));
  T y = ((T(1) - shrunk) + high) + exp_tail(high, n * kLn2Low<T>);
  T half = n * T(0.5) + F::kRounder;
  T rest = (n - (half - F::kRounder)) + F::kRounder;
  return std::copysign(y * power_of_two(half) * power_of_two(rest), x);
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

// The same bits with half of the work for a float that is positive, normal and finite.
[[gnu::always_inline]] inline float plain_log(float x) {
  int32_t bits = std::bit_cast<int32_t>(x);
  int32_t exponent = (bits - 0x3f3504f3) >> 23;
  float e = static_cast<float>(exponent);
  float f = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0f;
  float z = f * f;
  float log = f + (log_polynomial(f) * f * z - 0.5f * z);
  return e * kLn2High<float> + (log + e * kLn2Low<float>);
}

// log(1 + x), also where 1 + x rounds to 1: log(u) + (what the rounding to u took off) / u.
template <class T> [[gnu::always_inline]] inline T log1p_of(T x) {
  T u = T(1) + x;
  T lost = x > T(1) ? T(1) - (u - x) : x - (u - T(1));
  bool is_plain = u > 0 && u <= std::numeric_limits<T>::max();
  T result = log_of(u) + (is_plain ? lost / u : T(0));
  return x == 0 ? x : result;
}

// log(1 + e^x), which neither overflows nor loses digits. 1 + e^-|x| is at most 2, and what rounds off it counts as in
// log1p.
template <class T> [[gnu::always_inline]] inline T softplus_of(T x) {
  T e = exp_of(-std::fabs(x));
  T u = T(1) + e;
  T lost = e - (u - T(1));
  return (x > 0 ? x : T(0)) + (log_of_unit(u) + lost / u);
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
  T b = a > T(30) ? T(30) : a;  // 1 from there on
  T far = T(1) - T(2) / (plain_exp(b + b) + T(1));
  return std::copysign(a >= T(0.625) ? far : tanh_near_zero(a), x);  // nan is near
}

// sinh for 0 <= x < 1.
[[gnu::always_inline]] inline float sinh_near_zero(float x) {
  float z = x * x;
  float p = 2.806280236e-6f;
  p = p * z + 1.983810216e-4f;
  p = p * z + 8.333339356e-3f;
  p = p * z + 1.666666716e-1f;
  return x + x * (z * p);
}
[[gnu::always_inline]] inline double sinh_near_zero(double x) {
  double z = x * x;
  double p = 7.746178593018827e-13;
  p = p * z + 1.6057679623801638e-10;
  p = p * z + 2.5052117695907823e-08;
  p = p * z + 2.7557319191381816e-06;
  p = p * z + 1.9841269841324198e-04;
  p = p * z + 8.333333333333299e-03;
  p = p * z + 1.6666666666666666e-01;
  return x + x * (z * p);
}

// Half of e^|x| and half of e^-|x|, which the first gives by division.
template <class T> [[gnu::always_inline]] inline T sinh_of(T x) {
  T a = std::fabs(x);
  T half = scaled_exp(T(0.5), a, T(0));
  return std::copysign(a < T(1) ? sinh_near_zero(a) : half - T(0.25) / half, x);
}
template <class T> [[gnu::always_inline]] inline T cosh_of(T x) {
  T half = scaled_exp(T(0.5), std::fabs(x), T(0));
  return half + T(0.25) / half;
}

// 1 / (1 + e^-x), without an overflow on either side.
template <class T> [[gnu::always_inline]] inline T sigmoid_of(T x) {
  T e = exp_of(-std::fabs(x));
  return (x < 0 ? e : T(1)) / (T(1) + e);
}
// The same bits where |x| is at most kPlainExp.
template <class T> [[gnu::always_inline]] inline T plain_sigmoid(T x) {
  T e = plain_exp(-std::fabs(x));
  return (x < 0 ? e : T(1)) / (T(1) + e);
}

// x times the logistic function of v, which has x's sign, down to the last subnormal result; 0 at -inf.
template <class T> [[gnu::always_inline]] inline T times_sigmoid(T x, T v) {
  T factor = v < kExpLow<T> ? T(-1) : x;  // inf times 0 would be nan
  T a = -std::fabs(v);
  return (v < 0 ? scaled_exp(factor, a, T(0)) : x) / (T(1) + exp_of(a));
}

// The same bits for v = x, |x| at most 80: where e^-|x| is not about 1, the product with x is normal.
template <class T> [[gnu::always_inline]] inline T plain_silu(T x) {
  T e = plain_exp(-std::fabs(x));
  return (x < 0 ? x * e : x) / (T(1) + e);
}

}  // namespace lutra
