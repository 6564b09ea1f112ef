// erf and the normal distribution's tail, in the manner of elementary.h. In units in the last place, subnormal results
// included: erf within 1.5, gelu within 7. Polynomials: fitted at Chebyshev nodes, erfc's in the form of Shepherd and
// Laframboise, 1981.
#pragma once

#include "kernels/cpu/elementary.h"

namespace lutra {

// erf(x) / x - 1 for x^2 = z <= 1.
[[gnu::always_inline]] inline float erf_ratio(float z) {
  float p = 7.875874871e-5f;
  p = p * z - 8.016864303e-4f;
  p = p * z + 5.189087242e-3f;
  p = p * z - 2.685421146e-2f;
  p = p * z + 1.128359437e-1f;
  p = p * z - 3.761262596e-1f;
  return p * z + 1.283791661e-1f;
}
[[gnu::always_inline]] inline double erf_ratio(double z) {
  double w = z * z;
  double even = 5.957176147748911e-11;
  even = even * w + 1.4659775274047436e-08;
  even = even * w + 1.6461000484121368e-06;
  even = even * w + 1.205533111164271e-04;
  even = even * w + 5.2239776248180145e-03;
  even = even * w + 1.1283791670954879e-01;
  even = even * w + 1.283791670955126e-01;
  double odd = -1.1372848856791674e-09;
  odd = odd * w - 1.6350312701054695e-07;
  odd = odd * w - 1.4925595266831182e-05;
  odd = odd * w - 8.54832698083379e-04;
  odd = odd * w - 2.6866170645076792e-02;
  odd = odd * w - 3.761263890318375e-01;
  return even + z * odd;
}

// (1 + 2x) e^(x^2) erfc(x) for t = (x - 3) / (x + 3), x >= 0.
[[gnu::always_inline]] inline float erfc_polynomial(float t) {
  float p = -2.735960006e-4f;
  p = p * t - 7.881207275e-4f;
  p = p * t + 2.001771238e-3f;
  p = p * t + 2.576856408e-3f;
  p = p * t - 2.379466407e-2f;
  p = p * t + 6.829302758e-2f;
  p = p * t - 1.192719191e-1f;
  p = p * t + 1.296467185e-1f;
  p = p * t - 4.756231979e-2f;
  p = p * t - 1.356211454e-1f;
  return p * t + 1.253008008e+0f;
}
// Four chains, since one of 22 steps would leave the processor waiting for each.
[[gnu::always_inline]] inline double erfc_polynomial(double t) {
  double w = t * t, v = w * w;
  double a = 3.29163439676632e-08;
  a = a * v + 3.4899197889744293e-07;
  a = a * v + 4.948147875576539e-06;
  a = a * v + 1.888690312003782e-03;
  a = a * v - 1.1927366341552853e-01;
  a = a * v + 1.2530080582697296e+00;
  double b = -8.500119502115306e-09;
  b = b * v - 6.050048623933503e-07;
  b = b * v - 2.009663087595395e-05;
  b = b * v - 7.798320379611115e-04;
  b = b * v + 6.830802734580459e-02;
  b = b * v - 1.356211061245807e-01;
  double c = -4.210104975119195e-09;
  c = c * v - 1.311166137536459e-07;
  c = c * v - 7.275875746667183e-07;
  c = c * v - 1.0515949033775975e-04;
  c = c * v - 2.377051491423367e-02;
  c = c * v - 4.7562294353446374e-02;
  double d = 9.186243026143847e-08;
  d = d * v + 3.463997532352904e-06;
  d = d * v + 1.2509815174864322e-04;
  d = d * v + 2.529391788270445e-03;
  d = d * v + 1.2964515870270552e-01;
  return (a + t * b) + w * (c + t * d);
}

// e^(x^2) erfc(x), x >= 0.
template <class T> [[gnu::always_inline]] inline T scaled_erfc(T x) {
  return erfc_polynomial(T(1) - T(6) / (x + T(3))) / (T(1) + (x + x));
}

template <class T> [[gnu::always_inline]] inline T erf_of(T x) {
  T a = std::fabs(x);
  T b = a > T(9) ? T(9) : a;  // 1 from there on
  T z = b * b;
  T far = T(1) - plain_scaled_exp(scaled_erfc(b), -z, T(0));
  return std::copysign(a >= T(1) ? far : a + a * erf_ratio(z), x);  // nan is near
}

// The normal distribution at a >= 0: its upper tail is ratio times e^(-a^2 / 2), which is e^(-high - low).
template <class T> struct NormalTail { T a, ratio, high, low; };

template <class T> [[gnu::always_inline]] inline NormalTail<T> normal_tail(T x) {
  T a = std::fabs(x);
  a = a > T(40) ? T(40) : a;  // the tail is 0 from there on
  // The square in two parts: what rounding would take off it counts, as an exponent.
  T upper = upper_half(a);
  T high = T(0.5) * (upper * upper), low = T(0.5) * ((a - upper) * (a + upper));
  return {a, T(0.5) * scaled_erfc(a * T(0.70710678118654752440)), high, low};
}

// x times the normal distribution function of x. Near 0 that is 1/2 and half of erf(x / sqrt(2)), which are far apart.
template <bool kPlain = false, class T> [[gnu::always_inline]] inline T gelu_of(T x) {
  NormalTail<T> tail = normal_tail(x);
  // The same bits where nothing is subnormal: |x| up to kPlainGelu, and near 0 it does not count.
  T beyond = kPlain ? plain_scaled_exp(tail.a * tail.ratio, -tail.high, tail.low)
                    : scaled_exp(tail.a * tail.ratio, -tail.high, tail.low);
  T far = x < 0 ? -beyond : x - beyond;
  constexpr T kSlope = T(0.39894228040143267794) / T(1.12837916709551257390);
  T near = x * (T(0.5) + x * (kSlope + kSlope * erf_ratio(T(0.5) * (x * x))));
  return tail.a < T(0.5) ? near : far;
}

template <class T> inline constexpr T kPlainGelu = FloatForm<T>::kIsFloat ? T(12.5) : T(37);

// gelu's slope: the distribution function and x times the density.
template <class T> [[gnu::always_inline]] inline T gelu_slope(T x) {
  NormalTail<T> tail = normal_tail(x);
  T beyond = scaled_exp(tail.ratio - tail.a * T(0.39894228040143267794), -tail.high, tail.low);
  return x < 0 ? beyond : T(1) - beyond;
}

}  // namespace lutra
