// erf and the normal distribution's tail, in the manner of elementary.h. Errors in units in the last place, subnormal
// results included: erf within 1.5, gelu within 7 (float64 without fused multiply-adds within 10). Polynomials: fitted
// at Chebyshev nodes, erfc's in the form of Shepherd and Laframboise, 1981.
#pragma once

#include "kernels/element/elementary.h"

namespace lutra {

// erf(x) / x - 1 for x^2 = z <= 1.
[[gnu::always_inline]] constexpr float erf_ratio(float z) {
  float p = 7.875874871e-5f;
  p = muladd(p, z, -8.016864303e-4f);
  p = muladd(p, z, 5.189087242e-3f);
  p = muladd(p, z, -2.685421146e-2f);
  p = muladd(p, z, 1.128359437e-1f);
  p = muladd(p, z, -3.761262596e-1f);
  return muladd(p, z, 1.283791661e-1f);
}
[[gnu::always_inline]] constexpr double erf_ratio(double z) {
  double w = z * z;
  double even = 5.957176147748911e-11;
  even = muladd(even, w, 1.4659775274047436e-08);
  even = muladd(even, w, 1.6461000484121368e-06);
  even = muladd(even, w, 1.205533111164271e-04);
  even = muladd(even, w, 5.2239776248180145e-03);
  even = muladd(even, w, 1.1283791670954879e-01);
  even = muladd(even, w, 1.283791670955126e-01);
  double odd = -1.1372848856791674e-09;
  odd = muladd(odd, w, -1.6350312701054695e-07);
  odd = muladd(odd, w, -1.4925595266831182e-05);
  odd = muladd(odd, w, -8.54832698083379e-04);
  odd = muladd(odd, w, -2.6866170645076792e-02);
  odd = muladd(odd, w, -3.761263890318375e-01);
  return muladd(z, odd, even);
}

// (1 + 2x) e^(x^2) erfc(x) for t = (x - 3) / (x + 3), x >= 0. In four chains: in a single one of 22 steps, each step
// would wait for the one before.
[[gnu::always_inline]] constexpr double erfc_polynomial(double t) {
  double w = t * t, v = w * w;
  double a = 3.29163439676632e-08;
  a = muladd(a, v, 3.4899197889744293e-07);
  a = muladd(a, v, 4.948147875576539e-06);
  a = muladd(a, v, 1.888690312003782e-03);
  a = muladd(a, v, -1.1927366341552853e-01);
  a = muladd(a, v, 1.2530080582697296e+00);
  double b = -8.500119502115306e-09;
  b = muladd(b, v, -6.050048623933503e-07);
  b = muladd(b, v, -2.009663087595395e-05);
  b = muladd(b, v, -7.798320379611115e-04);
  b = muladd(b, v, 6.830802734580459e-02);
  b = muladd(b, v, -1.356211061245807e-01);
  double c = -4.210104975119195e-09;
  c = muladd(c, v, -1.311166137536459e-07);
  c = muladd(c, v, -7.275875746667183e-07);
  c = muladd(c, v, -1.0515949033775975e-04);
  c = muladd(c, v, -2.377051491423367e-02);
  c = muladd(c, v, -4.7562294353446374e-02);
  double d = 9.186243026143847e-08;
  d = muladd(d, v, 3.463997532352904e-06);
  d = muladd(d, v, 1.2509815174864322e-04);
  d = muladd(d, v, 2.529391788270445e-03);
  d = muladd(d, v, 1.2964515870270552e-01);
  return muladd(w, muladd(t, d, c), muladd(t, b, a));
}

// e^(x^2) erfc(x), x >= 0. One division makes both quotients: 6 / (x + 3) and 1 / (1 + 2x).
[[gnu::always_inline]] constexpr double scaled_erfc(double x) {
  double across = x + 3.0, rise = muladd(x, 2.0, 1.0);
  double inverse = 1.0 / (across * rise);
  return erfc_polynomial(muladd(-6.0 * rise, inverse, 1.0)) * (across * inverse);
}
// For x >= 1, to 2e-9 of what it is times e^-(x^2).
[[gnu::always_inline]] constexpr float scaled_erfc(float x) {
  float t = 1.0f / muladd(x, 0.35f, 1.0f);
  float p = 0.5702838302f;
  p = muladd(p, t, -0.3918810189f);
  p = muladd(p, t, 0.5105347037f);
  p = muladd(p, t, 0.102886878f);
  p = muladd(p, t, 0.2084791362f);
  return p * t;
}

template <class T> [[gnu::always_inline]] constexpr T erf_of(T x) {
  T a = std::fabs(x);
  T b = a > T(9) ? T(9) : a;  // 1 from there on
  T z = b * b;
  T far = T(1) - plain_scaled_exp(scaled_erfc(b), -z, T(0));
  return std::copysign(a >= T(1) ? far : muladd(a, erf_ratio(z), a), x);  // nan takes the near branch
}

// The normal distribution at a >= 0: its upper tail is ratio times e^(-a^2 / 2), which is e^(power - low).
template <class T> struct NormalTail { T a, ratio, power, low; };

// e^(a^2 / 2) times the upper tail, a >= 0.
[[gnu::always_inline]] constexpr double tail_ratio(double a) { return 0.5 * scaled_erfc(a * 0.70710678118654752440); }
[[gnu::always_inline]] constexpr float tail_ratio(float a) {
  float t = 1.0f / muladd(a, 0.27f, 1.0f);
  float p = 0.02939835191f;
  p = muladd(p, t, -0.1285855919f);
  p = muladd(p, t, 0.1740622818f);
  p = muladd(p, t, -0.07402002066f);
  p = muladd(p, t, 0.1110824794f);
  p = muladd(p, t, 0.07069397718f);
  p = muladd(p, t, 0.1021483094f);
  p = muladd(p, t, 0.107496962f);
  p = muladd(p, t, 0.1077232659f);
  return p * t;
}

// kPlain: |x| is at most kPlainGelu, or the result is not used.
template <bool kPlain, class T> [[gnu::always_inline]] constexpr NormalTail<T> normal_tail(T x) {
  constexpr T kEnd = FloatForm<T>::kIsFloat ? T(15) : T(40);  // the tail is 0 from there on
  T a = std::fabs(x);
  if constexpr (!kPlain) a = a > kEnd ? kEnd : a;
  // The square in two parts: as an exponent, its rounding error matters.
  T power, low;
  if constexpr (kFusedMuladd) {
    power = T(-0.5) * a * a;
    low = muladd(T(0.5) * a, a, power);
  } else {
    T upper = upper_half(a);
    power = T(-0.5) * (upper * upper);
    low = T(0.5) * ((a - upper) * (a + upper));
  }
  return {a, tail_ratio(a), power, low};
}

// x times the normal distribution function of x.
template <bool kPlain = false, class T> [[gnu::always_inline]] constexpr T gelu_of(T x) {
  NormalTail<T> tail = normal_tail<kPlain>(x);
  // The same bits where nothing is subnormal: for |x| up to kPlainGelu, since near 0 no power of two is involved.
  T beyond = kPlain ? plain_scaled_exp(tail.a * tail.ratio, tail.power, tail.low)
                    : scaled_exp(tail.a * tail.ratio, tail.power, tail.low);
  return x < 0 ? -beyond : x - beyond;
}

template <class T> inline constexpr T kPlainGelu = FloatForm<T>::kIsFloat ? T(12.5) : T(37);

// gelu's slope: the distribution function plus x times the density.
template <class T> [[gnu::always_inline]] constexpr T gelu_slope(T x) {
  NormalTail<T> tail = normal_tail<false>(x);
  T beyond = scaled_exp(muladd(-tail.a, T(0.39894228040143267794), tail.ratio), tail.power, tail.low);
  return x < 0 ? beyond : T(1) - beyond;
}

}  // namespace lutra
