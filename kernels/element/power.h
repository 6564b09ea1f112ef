// a^b, in the manner of elementary.h. float32 is computed in double and is wrong by at most 0.501 units in the last
// place. float64 carries its logarithm in two doubles (fdlibm's e_pow, by Sun Microsystems) and is wrong by at most 1.
// The special cases of 0, inf and nan are those of C, NumPy and IEEE 754.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/element/elementary.h"

namespace lutra {

// x = 2^exponent m, with m between the number whose bits are `lowest` and its double. x is positive and finite.
struct Scaled {
  double exponent, m;
};
[[gnu::always_inline]] constexpr Scaled scaled(double x, uint64_t lowest) {
  constexpr uint64_t kLift = uint64_t{1024} << 52;  // keeps the exponent positive
  constexpr uint64_t kWhole = std::bit_cast<uint64_t>(0x1p52);
  bool is_subnormal = x < std::numeric_limits<double>::min();
  uint64_t bits = std::bit_cast<uint64_t>(is_subnormal ? x * 0x1p52 : x);
  uint64_t lifted = bits - lowest + kLift;
  double exponent = std::bit_cast<double>((lifted >> 52) | kWhole) - (0x1p52 + 1024.0);
  return {exponent - (is_subnormal ? 52.0 : 0.0),
          std::bit_cast<double>(bits - (lifted & ~((uint64_t{1} << 52) - 1)) + kLift)};
}

// The upper 21 bits of x's digits: the rest is then exact, and so are products of two such numbers.
[[gnu::always_inline]] constexpr double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0xffffffff00000000);
}

// x^y for a positive finite x, with a relative error of 2^-33; a result above float's range is above it here, too, or
// inf. The polynomials are Chebyshev's.
[[gnu::always_inline]] constexpr double power_of_float(double x, double y) {
  Scaled parts = scaled(x, 0x3fe6a09e667f3bcd);  // from sqrt(1/2)
  double s = (parts.m - 1.0) / (parts.m + 1.0);
  double z = s * s, zz = z * z;
  double log = muladd(muladd(z, 0.28289971687836046, 0.3199057435044774), zz,
                      muladd(z, 0.41220925085086246, 0.5770779423838323));
  log = muladd(log, zz, muladd(z, 0.9617966941132644, 2.8853900817778504));
  double e = y * muladd(log, s, parts.exponent);
  e = e > 300.0 ? 300.0 : e;
  e = e < -300.0 ? -300.0 : e;
  double shifted = e + FloatForm<double>::kRounder;
  double r = e - (shifted - FloatForm<double>::kRounder), rr = r * r;
  double low = muladd(muladd(r, 0.05550410941307404, 0.24022651214217555), rr,
                      muladd(r, 0.6931471805459063, 0.9999999999594832));
  double high = muladd(muladd(r, 1.531010432043518e-05, 0.0001546975850500098), rr,
                       muladd(r, 0.0013333450473135328, 0.009618025520031562));
  return muladd(high, rr * rr, low) * power_of_two(shifted);
}

// The same to one unit in the last place.
[[gnu::always_inline]] constexpr double power_of_double(double x, double y) {
  // log2(x) = t1 + t2, where t1 has few enough bits for exact products.
  Scaled parts = scaled(x, 0x3febb67ae8584cab);   // from sqrt(3)/2
  bool above = parts.m >= 1.2247448713915890491;  // sqrt(3/2)
  double base = above ? 1.5 : 1.0;
  double u = parts.m - base;
  double v = 1.0 / (parts.m + base);
  double s = u * v;
  double s_high = upper_half(s);
  double t_high = upper_half(parts.m + base);
  double t_low = parts.m - (t_high - base);
  double s_low = v * muladd(-s_high, t_low, muladd(-s_high, t_high, u));
  double z = s * s;
  double zz = z * z;
  double r = muladd(muladd(z, 2.06975017800338417784e-01, 2.30660745775561754067e-01), zz,
                    muladd(z, 2.72728123808534006489e-01, 3.33333329818377432918e-01));
  r = muladd(r, zz, muladd(z, 4.28571428578550184252e-01, 5.99999999999994648725e-01));
  r = muladd(r, zz, s_low * (s_high + s));
  z = s_high * s_high;
  t_high = upper_half(3.0 + z + r);
  t_low = r - ((t_high - 3.0) - z);
  u = s_high * t_high;
  v = muladd(s_low, t_high, t_low * s);
  double p_high = upper_half(u + v);
  double p_low = v - (p_high - u);
  constexpr double kCp = 9.61796693925975554329e-01, kCpHigh = 9.61796700954437255859e-01;  // 2 / (3 ln 2)
  constexpr double kCpLow = -7.02846165095275826516e-09;
  double z_high = kCpHigh * p_high;
  double z_low = muladd(p_high, kCpLow, p_low * kCp) + (above ? 1.35003920212974897128e-08 : 0.0);
  double d_high = above ? 5.84962487220764160156e-01 : 0.0;  // log2(1.5), the upper part
  double t1 = upper_half(((z_high + z_low) + d_high) + parts.exponent);
  double t2 = z_low - (((t1 - parts.exponent) - d_high) - z_high);
  // y * log2(x), again in two parts.
  double y1 = upper_half(y);
  p_low = muladd(y - y1, t1, y * t2);
  p_high = y1 * t1;
  bool is_far = std::fabs(p_high) > 1100.0;
  p_high = is_far ? std::copysign(1100.0, p_high) : p_high;
  p_low = is_far ? 0.0 : p_low;
  double n = ((p_low + p_high) + FloatForm<double>::kRounder) - FloatForm<double>::kRounder;
  p_high -= n;
  double t = upper_half(p_low + p_high);
  u = t * 6.93147182464599609375e-01;
  v = muladd(p_low - (t - p_high), 6.93147180559945286227e-01, t * -1.90465429995776804525e-09);
  z = u + v;
  double w = v - (z - u);
  t = z * z;
  double q = muladd(t, 4.13813679705723846039e-08, -1.65339022054652515390e-06);
  q = muladd(q, t, 6.61375632143793436117e-05);
  t1 = muladd(-t, muladd(q, t * t, muladd(t, -2.77777777770155933842e-03, 1.66666666666666019037e-01)), z);
  r = (z * t1) / (t1 - 2.0) - muladd(z, w, w);
  return times_power_of_two(1.0 - (r - z), n);
}

template <class T> [[gnu::always_inline]] constexpr T pow_of(T a, T b) {
  using F = FloatForm<T>;
  constexpr T kInf = std::numeric_limits<T>::infinity();
  constexpr T kWholeFrom = F::kIsFloat ? T(0x1p23) : T(0x1p52);  // from here on all numbers are integers
  T size = std::fabs(a), exponent = std::fabs(b), half = exponent * T(0.5);
  bool whole = (exponent >= kWholeFrom) | ((exponent + kWholeFrom) - kWholeFrom == exponent);
  bool odd = whole & (half < kWholeFrom) & ((half + kWholeFrom) - kWholeFrom != half);
  // Exponents this large give 0, 1 or inf in any case; so a larger one becomes kFar, whose products do not overflow.
  constexpr T kFar = F::kIsFloat ? T(0x1p40) : T(0x1p70);
  T near = exponent > kFar ? std::copysign(kFar, b) : b;
  T r;
  if constexpr (F::kIsFloat) r = static_cast<float>(power_of_float(size, near));
  else r = power_of_double(size, near);
  // A negative exponent turns 0 into inf and inf into 0.
  r = (size == 0) | (size == kInf) ? ((size == 0) == (b < 0) ? kInf : T(0)) : r;
  r = odd ? std::copysign(r, a) : r;
  r = (a < 0) & (size != kInf) & !whole ? std::numeric_limits<T>::quiet_NaN() : r;
  r = (a != a) | (b != b) ? a + b : r;
  return (b == 0) | (a == 1) ? T(1) : r;
}

}  // namespace lutra
