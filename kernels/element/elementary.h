// exp, log and functions made of them, without branches, tables or calls, so that loops over them vectorise. Bits are
// the same for every width of vectors; they differ between processors with and without fused multiply-adds. Errors in
// units in the last place, subnormal results included: exp, expm1, log within 1.5, tanh within 1.5 (float32 2.5);
// log1p, sinh, cosh within 2; the logistic function within 2.5, softplus within 3, the logistic function times its
// argument within 4 (tests/unit/kernels/elementary_test.cpp). Polynomials: Cephes (float32, and tanh), fdlibm
// (float64); those of sinh, of softplus, and of float32's exp and log are fitted at Chebyshev nodes. The circular
// functions are in trigonometric.h, erf in error_function.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/element/muladd.h"
#include "kernels/element/random_math.h"

namespace lutra {

template <class T> struct FloatForm {
  static constexpr bool kIsFloat = std::is_same_v<T, float>;
  using Bits = std::conditional_t<kIsFloat, uint32_t, uint64_t>;
  static constexpr int kMantissa = kIsFloat ? 23 : 52;
  static constexpr Bits kBias = kIsFloat ? 127 : 1023;
  static constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  // Adding it rounds a small number to an integer, which is then in the lowest bits.
  static constexpr T kRounder = kIsFloat ? T(0x1.8p23) : T(0x1.8p52);
};

// The bits of |x|, which are ordered as magnitudes are; nan's are above all.
template <class T> [[gnu::always_inline]] constexpr typename FloatForm<T>::Bits size_bits(T x) {
  return std::bit_cast<typename FloatForm<T>::Bits>(x) & ~FloatForm<T>::kSign;
}

// 2^n for `shifted` = kRounder + n.
template <class T> [[gnu::always_inline]] constexpr T power_of_two(T shifted) {
  using F = FloatForm<T>;
  return std::bit_cast<T>((std::bit_cast<typename F::Bits>(shifted) + F::kBias) << F::kMantissa);
}

// x without the lower half of its digits: the square of what is left is exact.
template <class T> [[gnu::always_inline]] constexpr T upper_half(T x) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  return std::bit_cast<T>(std::bit_cast<Bits>(x) & ~((Bits{1} << (F::kMantissa / 2 + 1)) - 1));
}

// exp_polynomial: (e^r - 1 - r) / r^2 * unit, where unit is a power of two. exp_quotient: e^r - 1 - r. |r| is at most
// half of ln 2.
[[gnu::always_inline]] constexpr float exp_polynomial(float r, float unit = 1.0f) {
  float p = 1.386466902e-3f * unit;
  p = muladd(p, r, 8.367258124e-3f * unit);
  p = muladd(p, r, 4.166750982e-2f * unit);
  p = muladd(p, r, 1.666653752e-1f * unit);
  return muladd(p, r, 4.999999702e-1f * unit);
}
[[gnu::always_inline]] constexpr double exp_quotient(double r) {
  double t = r * r;
  double p = 4.13813679705723846039e-08;
  p = muladd(p, t, -1.65339022054652515390e-06);
  p = muladd(p, t, 6.61375632143793436117e-05);
  p = muladd(p, t, -2.77777777770155933842e-03);
  p = muladd(p, t, 1.66666666666666019037e-01);
  double c = muladd(-t, p, r);
  return r * c / (2.0 - c);
}
// e^(high - low) without its first two terms: e^(high - low) - 1 - high.
[[gnu::always_inline]] constexpr float exp_tail(float high, float low) {
  float r = high - low;
  return muladd(exp_polynomial(r), r * r, -low);
}
[[gnu::always_inline]] constexpr double exp_tail(double high, double low) { return exp_quotient(high - low) - low; }

// ln 2 in two parts: the first has few enough bits that its product with an exponent is exact.
template <class T>
inline constexpr T kLn2High = FloatForm<T>::kIsFloat ? T(0.693359375) : T(6.93147180369123816490e-01);
template <class T>
inline constexpr T kLn2Low = FloatForm<T>::kIsFloat ? T(-2.12194440e-4) : T(1.90821492927058770002e-10);

// kRounder + n for the n nearest to x / ln 2.
template <class T> [[gnu::always_inline]] constexpr T shifted_quotient(T x) {
  return muladd(x, T(1.44269504088896340736), FloatForm<T>::kRounder);
}

// y 2^n in two factors, for results that are subnormal or next to inf.
template <class T> [[gnu::always_inline]] constexpr T times_power_of_two(T y, T n) {
  using F = FloatForm<T>;
  T half = muladd(n, T(0.5), F::kRounder);
  T rest = (n - (half - F::kRounder)) + F::kRounder;
  return y * power_of_two(half) * power_of_two(rest);
}

// x - n ln 2 - low.
[[gnu::always_inline]] constexpr float exp_remainder(float x, float n, float low) {
  return muladd(-n, kLn2Low<float>, muladd(-n, kLn2High<float>, x) - low);
}

// e^(x - n ln 2 - low), at most half a power of two from 1.
[[gnu::always_inline]] constexpr float exp_near_one(float x, float n, float low) {
  float r = exp_remainder(x, n, low);
  return muladd(muladd(exp_polynomial(r), r, 1.0f), r, 1.0f);
}
[[gnu::always_inline]] constexpr double exp_near_one(double x, double n, double low) {
  double high = muladd(-n, kLn2High<double>, x);
  low = muladd(n, kLn2Low<double>, low);
  return 1.0 - ((low - exp_quotient(high - low)) - high);
}

// Outside these bounds e^x is 0 or inf, even when multiplied by a number up to 10^6.
template <class T> inline constexpr T kExpLow = FloatForm<T>::kIsFloat ? T(-120) : T(-760);
template <class T> inline constexpr T kExpHigh = FloatForm<T>::kIsFloat ? T(90) : T(711);

// factor * e^(x - low); `low` is a correction of x. The factor is applied before the power of two, so that no digits
// are lost when e^x alone is subnormal or overflows. nan passes.
template <class T> [[gnu::always_inline]] constexpr T scaled_exp(T factor, T x, T low) {
  using F = FloatForm<T>;
  x = x < kExpLow<T> ? kExpLow<T> : x;
  x = x > kExpHigh<T> ? kExpHigh<T> : x;
  T n = shifted_quotient(x) - F::kRounder;
  return times_power_of_two(factor * exp_near_one(x, n, low), n);
}

template <class T> [[gnu::always_inline]] constexpr T exp_of(T x) { return scaled_exp(T(1), x, T(0)); }

// The same bits with half of the work where |x| is at most kPlainExp, so that e^x is normal, if factor * e^x is normal
// as well.
template <class T> inline constexpr T kPlainExp = FloatForm<T>::kIsFloat ? T(87) : T(708);
template <class T> [[gnu::always_inline]] constexpr T plain_scaled_exp(T factor, T x, T low) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  T shifted = shifted_quotient(x);
  T n = shifted - F::kRounder;
  T y = exp_near_one(x, n, low);
  return factor * std::bit_cast<T>(std::bit_cast<Bits>(y) + (std::bit_cast<Bits>(shifted) << F::kMantissa));
}
template <class T> [[gnu::always_inline]] constexpr T plain_exp(T x) { return plain_scaled_exp(T(1), x, T(0)); }

// e^x for x <= 0, the same bits with fewer steps; nan passes.
template <class T> [[gnu::always_inline]] constexpr T falling_exp(T x) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  // 2^n is computed as 2^(n + kLift), which is normal for every n here, times 2^-kLift, which rounds once.
  constexpr Bits kLift = F::kIsFloat ? 64 : 512;
  constexpr T kLower = F::kIsFloat ? T(0x1p-64) : T(0x1p-512);
  x = x < kExpLow<T> ? kExpLow<T> : x;
  T shifted = shifted_quotient(x);
  T y = exp_near_one(x, shifted - F::kRounder, T(0));
  T lifted = std::bit_cast<T>((std::bit_cast<Bits>(shifted) + (F::kBias + kLift)) << F::kMantissa);
  return y * lifted * kLower;
}

// e^x - 1, also where e^x rounds to 1.
template <class T> [[gnu::always_inline]] constexpr T expm1_of(T x) {
  using F = FloatForm<T>;
  constexpr T kLow = T(-40);  // -1 from there on
  T at = x < kLow ? kLow : x;
  at = at > kExpHigh<T> ? kExpHigh<T> : at;
  T n = shifted_quotient(at) - F::kRounder;
  T high = muladd(-n, kLn2High<T>, at);
  // 2^n (e^r - 2^-n). For large n, 2^-n vanishes beside 1.
  T shrunk = power_of_two(F::kRounder - (n > T(60) ? T(60) : n));
  T y = ((T(1) - shrunk) + high) + exp_tail(high, n * kLn2Low<T>);
  return std::copysign(times_power_of_two(y, n), x);
}

// log(1 + f), 1 + f from kLogLow to twice that.
template <class T> inline constexpr T kLogLow = FloatForm<T>::kIsFloat ? T(2) / T(3) : T(0.70710678118654752440);
[[gnu::always_inline]] constexpr float log_near_one(float f) {
  float p = -0.1264714748f;
  p = muladd(p, f, 0.1400881559f);
  p = muladd(p, f, -0.1224084049f);
  p = muladd(p, f, 0.1400010437f);
  p = muladd(p, f, -0.1667638868f);
  p = muladd(p, f, 0.2001083493f);
  p = muladd(p, f, -0.2499988824f);
  p = muladd(p, f, 0.3333320618f);
  return muladd(f * f, muladd(p, f, -0.5f), f);
}
[[gnu::always_inline]] constexpr double log_near_one(double f) {
  double s = f / (2.0 + f);
  double half = 0.5 * f * f;
  return f - muladd(-s, half + log_polynomial<kFusedMuladd>(s * s), half);
}

// 0 gives -inf, less gives nan.
template <class T> [[gnu::always_inline]] constexpr T log_of(T x) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  constexpr Bits kLowBits = std::bit_cast<Bits>(kLogLow<T>);
  constexpr Bits kLift = Bits{F::kIsFloat ? 128u : 1024u} << F::kMantissa;  // keeps the exponent positive
  constexpr Bits kWhole = std::bit_cast<Bits>(F::kIsFloat ? T(0x1p23) : T(0x1p52));
  constexpr T kInf = std::numeric_limits<T>::infinity();
  bool is_subnormal = x < std::numeric_limits<T>::min();
  // bits are those of 2^e m with m in [kLogLow, 2 kLogLow).
  Bits bits = std::bit_cast<Bits>(is_subnormal ? x * std::bit_cast<T>(kWhole) : x);
  Bits lifted = bits - kLowBits + kLift;
  T m = std::bit_cast<T>(bits - (lifted & ~((Bits{1} << F::kMantissa) - 1)) + kLift);
  T e = std::bit_cast<T>((lifted >> F::kMantissa) | kWhole) -
        (std::bit_cast<T>(kWhole) + (F::kIsFloat ? T(128) : T(1024)));
  e -= is_subnormal ? T(F::kMantissa) : T(0);
  T result = muladd(e, kLn2High<T>, muladd(e, kLn2Low<T>, log_near_one(m - T(1))));
  result = x == kInf ? kInf : result;
  return x > 0 ? result : x == 0 ? -kInf : std::numeric_limits<T>::quiet_NaN();
}

// The same bits with half of the work for a float that is positive, normal and finite.
[[gnu::always_inline]] constexpr float plain_log(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  int32_t exponent = static_cast<int32_t>(bits - std::bit_cast<uint32_t>(kLogLow<float>)) >> 23;
  float e = static_cast<float>(exponent);
  float f = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
  return muladd(e, kLn2High<float>, muladd(e, kLn2Low<float>, log_near_one(f)));
}

// log(1 + x), also where 1 + x rounds to 1: log(u) + (the rounding error of u) / u.
template <class T> [[gnu::always_inline]] constexpr T log1p_of(T x) {
  T u = T(1) + x;
  T lost = x > T(1) ? T(1) - (u - x) : x - (u - T(1));
  bool is_plain = u > 0 && u <= std::numeric_limits<T>::max();
  T result = log_of(u) + (is_plain ? lost / u : T(0));
  return x == 0 ? x : result;
}

// (log((1 + s) / (1 - s)) / 2s - 1) / z for z = s^2, 0 <= s <= 1/3.
[[gnu::always_inline]] constexpr float atanh_ratio(float z) {
  float p = 0.1401109695f;
  p = muladd(p, z, 0.13999708f);
  p = muladd(p, z, 0.2001085132f);
  return muladd(p, z, 0.3333320618f);
}
[[gnu::always_inline]] constexpr double atanh_ratio(double z) {
  double w = z * z;
  double even = 0.04171206774461818;
  even = muladd(even, w, 0.0665051471576782);
  even = muladd(even, w, 0.09090872023764945);
  even = muladd(even, w, 0.14285714273916988);
  even = muladd(even, w, 0.3333333333333315);
  double odd = 0.08507036442462096;
  odd = muladd(odd, w, 0.06052796932153673);
  odd = muladd(odd, w, 0.07693278174223511);
  odd = muladd(odd, w, 0.11111111984060836);
  odd = muladd(odd, w, 0.20000000000078996);
  return muladd(odd, z, even);
}

// log(1 + e^x) without overflow or lost digits: max(x, 0) + log(1 + e^-|x|).
template <class T> [[gnu::always_inline]] constexpr T softplus_of(T x) {
  T e = falling_exp(-std::fabs(x));
  T s = e / muladd(e, T(0.5), T(1));  // twice what atanh_ratio takes: subnormals keep their digits
  return (x > 0 ? x : T(0)) + muladd(s, (T(0.25) * s * s) * atanh_ratio(T(0.25) * s * s), s);
}

// By t = e^2|x| - 1, which keeps its digits near 0: t / (t + 2).
[[gnu::always_inline]] constexpr float tanh_of(float x) {
  using F = FloatForm<float>;
  float a = std::fabs(x);
  a = a > 15.0f ? 30.0f : a + a;  // 1 from there on; nan passes
  float shifted = shifted_quotient(a), r = exp_remainder(a, shifted - F::kRounder, 0.0f);
  float scale = power_of_two(shifted);
  float t = muladd(muladd(exp_polynomial(r), r * r, r), scale, scale - 1.0f);
  return std::copysign(t / (t + 2.0f), x);
}

// tanh for 0 <= x < 0.625.
[[gnu::always_inline]] constexpr double tanh_near_zero(double x) {
  double z = x * x;
  double p = muladd(-9.64399179425052238628e-1, z, -9.92877231001918586564e1);
  p = muladd(p, z, -1.61468768441708447952e3);
  double q = z + 1.12811678491632931402e2;
  q = muladd(q, z, 2.23548839060100448583e3);
  q = muladd(q, z, 4.84406305325125486048e3);
  return muladd(x, z * p / q, x);
}

[[gnu::always_inline]] constexpr double tanh_of(double x) {
  double a = std::fabs(x);
  double b = a > 30.0 ? 30.0 : a;  // 1 from there on
  double far = 1.0 - 2.0 / (plain_exp(b + b) + 1.0);
  return std::copysign(a >= 0.625 ? far : tanh_near_zero(a), x);  // nan takes the near branch
}

// sinh for 0 <= x < 1.
[[gnu::always_inline]] constexpr float sinh_near_zero(float x) {
  float z = x * x;
  float p = 2.806280236e-6f;
  p = muladd(p, z, 1.983810216e-4f);
  p = muladd(p, z, 8.333339356e-3f);
  p = muladd(p, z, 1.666666716e-1f);
  return muladd(x, z * p, x);
}
[[gnu::always_inline]] constexpr double sinh_near_zero(double x) {
  double z = x * x;
  double p = 7.746178593018827e-13;
  p = muladd(p, z, 1.6057679623801638e-10);
  p = muladd(p, z, 2.5052117695907823e-08);
  p = muladd(p, z, 2.7557319191381816e-06);
  p = muladd(p, z, 1.9841269841324198e-04);
  p = muladd(p, z, 8.333333333333299e-03);
  p = muladd(p, z, 1.6666666666666666e-01);
  return muladd(x, z * p, x);
}

// From half of e^|x|, and half of e^-|x|, which a division of the former gives.
template <class T> [[gnu::always_inline]] constexpr T sinh_of(T x) {
  T a = std::fabs(x);
  T half = scaled_exp(T(0.5), a, T(0));
  return std::copysign(a < T(1) ? sinh_near_zero(a) : half - T(0.25) / half, x);
}
template <class T> [[gnu::always_inline]] constexpr T cosh_of(T x) {
  T half = scaled_exp(T(0.5), std::fabs(x), T(0));
  return half + T(0.25) / half;
}

// 1 / (1 + e^-x), without an overflow on either side.
template <class T> [[gnu::always_inline]] constexpr T sigmoid_of(T x) {
  T e = falling_exp(-std::fabs(x));
  return (x < 0 ? e : T(1)) / (T(1) + e);
}

// x times the logistic function of v, which has x's sign, down to the last subnormal result; 0 at -inf.
template <class T> [[gnu::always_inline]] constexpr T times_sigmoid(T x, T v) {
  T factor = v < kExpLow<T> ? T(-1) : x;  // inf times 0 would be nan
  T a = -std::fabs(v);
  return (v < 0 ? scaled_exp(factor, a, T(0)) : x) / (T(1) + falling_exp(a));
}

// The same bits for v = x, |x| at most 80: where e^-|x| is not about 1, the product with x is normal.
template <class T> [[gnu::always_inline]] constexpr T plain_silu(T x) {
  T e = plain_exp(-std::fabs(x));
  return (x < 0 ? x * e : x) / (T(1) + e);
}

}  // namespace lutra
