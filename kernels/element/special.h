// erfc, erfinv, the logarithm of the gamma function and its derivatives, in the manner of elementary.h. Errors in units
// in the last place: erfc within 4, erfinv within 8; lgamma and digamma within 8 of the larger of the result and 1 for
// positive arguments. Polynomials: fitted at Chebyshev nodes; Stirling's series from 8 on, digamma's from 10 (float:
// 6).
#pragma once

#include "kernels/element/error_function.h"
#include "kernels/element/trigonometric.h"

namespace lutra {

[[gnu::always_inline]] constexpr double erfc_ratio(double a) { return scaled_erfc(a); }
[[gnu::always_inline]] constexpr float erfc_ratio(float a) { return 2.0f * tail_ratio(a * 1.41421356237f); }

template <class T> [[gnu::always_inline]] constexpr T erfc_of(T x) {
  constexpr T kEnd = FloatForm<T>::kIsFloat ? T(11) : T(28);  // 0 from there on
  T a = std::fabs(x);
  a = a > kEnd ? kEnd : a;
  // The square in two parts: as an exponent, its rounding error matters.
  T power, low;
  if constexpr (kFusedMuladd) {
    power = -a * a;
    low = muladd(a, a, power);
  } else {
    T upper = upper_half(a);
    power = -(upper * upper);
    low = (a - upper) * (a + upper);
  }
  T beyond = scaled_exp(erfc_ratio(a), power, low);
  return x < 0 ? T(2) - beyond : beyond;
}

// erfinv(x) / x by w = -log(1 - x^2): of w - 2.5 for w < 5, of sqrt(w) - 3 beyond. To 7e-9 in the middle; at the ends
// to 7e-9 for floats and 2e-6 for doubles, which erfinv_of refines.
template <class T> [[gnu::always_inline]] constexpr T erfinv_middle(T t) {
  T p = T(-8.9319259702e-9);
  p = muladd(p, t, T(2.3335967196e-8));
  p = muladd(p, t, T(4.6813134806e-7));
  p = muladd(p, t, T(-3.4639852676e-6));
  p = muladd(p, t, T(-4.9724196895e-6));
  p = muladd(p, t, T(0.00021834938624));
  p = muladd(p, t, T(-0.0012527263918));
  p = muladd(p, t, T(-0.0041773928752));
  p = muladd(p, t, T(0.24664027905));
  return muladd(p, t, T(1.5014093605));
}
[[gnu::always_inline]] constexpr float erfinv_end(float t) {
  float p = 0.00012924175469f;
  p = muladd(p, t, -0.00031992667293f);
  p = muladd(p, t, -7.6047901708e-5f);
  p = muladd(p, t, 0.0014972225088f);
  p = muladd(p, t, -0.0035878157701f);
  p = muladd(p, t, 0.0056826785221f);
  p = muladd(p, t, -0.0076391390344f);
  p = muladd(p, t, 0.0094457438206f);
  p = muladd(p, t, 1.0016750658f);
  return muladd(p, t, 2.8329767945f);
}
[[gnu::always_inline]] constexpr double erfinv_end(double t) {
  double p = -3.5557244448e-6;
  p = muladd(p, t, 5.4284259464e-5);
  p = muladd(p, t, -0.00035846122596);
  p = muladd(p, t, 0.0013517951655);
  p = muladd(p, t, -0.0032714235019);
  p = muladd(p, t, 0.0055790542232);
  p = muladd(p, t, -0.0077077465683);
  p = muladd(p, t, 0.0094883594632);
  p = muladd(p, t, 1.0016763331);
  return muladd(p, t, 2.8329748731);
}

template <class T> [[gnu::always_inline]] constexpr T erfinv_of(T x) {
  T a = std::fabs(x);
  T rest = (T(1) - a) * (T(1) + a), w;
  if constexpr (FloatForm<T>::kIsFloat) w = -plain_log(rest);  // never subnormal; from 1 on it is not used
  else w = -log_of(rest);
  T y = a * (w < T(5) ? erfinv_middle(w - T(2.5)) : erfinv_end(std::sqrt(w) - T(3)));
  if constexpr (!FloatForm<T>::kIsFloat) {
    // One step of Halley's method. Both differences from erf and erfc are multiplied by e^(y^2).
    double square = y * y, rise = plain_exp(square > 700.0 ? 700.0 : square);
    double near = rise * (muladd(y, erf_ratio(square), y) - a), far = (1.0 - a) * rise - scaled_erfc(y);
    double step = 0.88622692545275801365 * (a < 0.5 ? near : far);
    y -= step / muladd(y, step, 1.0);
  }
  y = a == T(1) ? std::numeric_limits<T>::infinity() : y;
  y = a <= T(1) ? y : std::numeric_limits<T>::quiet_NaN();
  return std::copysign(y, x);
}

// lgamma(2 + t) / (t (1 + t)) for |t| <= 1/2.
[[gnu::always_inline]] constexpr float lgamma_ratio(float t) {
  float p = -9.518873289e-5f;
  p = muladd(p, t, 0.0002086615528f);
  p = muladd(p, t, -0.0004029856905f);
  p = muladd(p, t, 0.0009095028334f);
  p = muladd(p, t, -0.002108376952f);
  p = muladd(p, t, 0.004999172274f);
  p = muladd(p, t, -0.01238418446f);
  p = muladd(p, t, 0.03296498393f);
  p = muladd(p, t, -0.1003173017f);
  return muladd(p, t, 0.4227843352f);
}
[[gnu::always_inline]] constexpr double lgamma_ratio(double t) {
  double w = t * t;
  double even = 1.2034907763468639e-7;
  even = muladd(even, w, 3.8837480981603404e-7);
  even = muladd(even, w, 1.8124087986144873e-6);
  even = muladd(even, w, 8.2214789180596209e-6);
  even = muladd(even, w, 3.8168959876181242e-5);
  even = muladd(even, w, 0.00018255263497305118);
  even = muladd(even, w, 0.00091537692238059906);
  even = muladd(even, w, 0.0049986411646954692);
  even = muladd(even, w, 0.032965000621155834);
  even = muladd(even, w, 0.42278433509846714);
  double odd = -2.5254853429586513e-7;
  odd = muladd(odd, w, -8.2089874427208221e-7);
  odd = muladd(odd, w, -3.856313609317478e-6);
  odd = muladd(odd, w, -1.7660194017271154e-5);
  odd = muladd(odd, w, -8.3095273255336939e-5);
  odd = muladd(odd, w, -0.00040570738897825626);
  odd = muladd(odd, w, -0.0021081308342234147);
  odd = muladd(odd, w, -0.012384192193367468);
  odd = muladd(odd, w, -0.10031730167435394);
  return muladd(odd, t, even);
}

// What Stirling's formula leaves, for x = 1 / r from 8 on.
template <class T> [[gnu::always_inline]] constexpr T stirling_rest(T r) {
  T z = r * r;
  T p = T(1.0 / 1260);
  if constexpr (!FloatForm<T>::kIsFloat) {
    p = muladd(-3617.0 / 122400, z, 1.0 / 156);
    p = muladd(p, z, -691.0 / 360360);
    p = muladd(p, z, 1.0 / 1188);
    p = muladd(p, z, -1.0 / 1680);
    p = muladd(p, z, 1.0 / 1260);
  }
  p = muladd(p, z, T(-1.0 / 360));
  return r * muladd(p, z, T(1.0 / 12));
}

// log(gamma(x)) for x >= 0: arguments below 8 are moved to [1.5, 2.5] by gamma(x + 1) = x gamma(x).
template <class T> [[gnu::always_inline]] constexpr T lgamma_of_positive(T x) {
  bool is_least = x < T(0.5), is_small = x < T(1.5), is_far = x >= T(8);
  T y = is_least ? x + T(2) : is_small ? x + T(1) : x;
  T below = is_least ? x * (x + T(1)) : x;
  T above = T(1);
  for (int i = 0; i < 6; ++i) {
    bool is_over = y >= T(2.5);
    y = is_over ? y - T(1) : y;
    above = is_over ? above * y : above;
  }
  T log = log_of(is_far ? x : is_small ? below : above);
  T t = y - T(2);
  T near = t * (t + T(1)) * lgamma_ratio(t) + (is_small ? -log : log);
  T far = muladd(x - T(0.5), log - T(1), T(0.41893853320467274178) + stirling_rest(T(1) / x));
  return is_far ? far : near;
}

// sin(pi x) and tan(pi x) for the x left over from the nearest integer.
constexpr double left_over(double x) { return x - std::nearbyint(x); }

// For x < 0, by the reflection of gamma; inf at integers and at -inf.
constexpr double lgamma_of_negative(double x) {
  double a = -x, sine = std::fabs(sin_of(3.14159265358979323846 * left_over(a)));
  if (!(a < 0x1p53)) return std::numeric_limits<double>::infinity();
  return 1.1447298858494001741 - log_of(a) - log_of(sine) - lgamma_of_positive(a);
}

// The derivative of lgamma for x >= 0, by digamma(x + 1) = digamma(x) + 1 / x. The reciprocals are added in one
// fraction.
template <class T> [[gnu::always_inline]] constexpr T digamma_of_positive(T x) {
  constexpr bool kIsFloat = FloatForm<T>::kIsFloat;
  constexpr T kEnd = kIsFloat ? T(6) : T(10);
  T y = x, above = T(0), below = T(1);
  for (int i = 0; i < (kIsFloat ? 6 : 10); ++i) {
    bool is_near = y < kEnd;
    above = is_near ? muladd(above, y, below) : above;
    below = is_near ? below * y : below;
    y = is_near ? y + T(1) : y;
  }
  T r = T(1) / y, z = r * r;
  T p = T(1.0 / 252);
  if constexpr (!kIsFloat) {
    p = muladd(-3617.0 / 8160, z, 1.0 / 12);
    p = muladd(p, z, -691.0 / 32760);
    p = muladd(p, z, 1.0 / 132);
    p = muladd(p, z, -1.0 / 240);
    p = muladd(p, z, 1.0 / 252);
  }
  p = muladd(p, z, T(-1.0 / 120));
  p = muladd(p, z, T(1.0 / 12));
  return log_of(y) - muladd(T(0.5), r, z * p) - above / below;
}

// For x < 0, by reflection; nan at integers and at -inf.
constexpr double digamma_of_negative(double x) {
  double rest = left_over(x);
  if (rest == 0 || !(x > -0x1p53)) return std::numeric_limits<double>::quiet_NaN();
  return digamma_of_positive(1.0 - x) - 3.14159265358979323846 / tan_of(3.14159265358979323846 * rest);
}

// The derivative of digamma for x >= 0, by trigamma(x + 1) = trigamma(x) - 1 / x^2.
template <class T> [[gnu::always_inline]] constexpr T trigamma_of_positive(T x) {
  constexpr bool kIsFloat = FloatForm<T>::kIsFloat;
  constexpr T kEnd = kIsFloat ? T(6) : T(10);
  T y = x, sum = T(0);
  for (int i = 0; i < (kIsFloat ? 6 : 10); ++i) {
    bool is_near = y < kEnd;
    sum += is_near ? T(1) / (y * y) : T(0);
    y = is_near ? y + T(1) : y;
  }
  T r = T(1) / y, z = r * r;
  T p = T(1.0 / 42);
  if constexpr (!kIsFloat) {
    p = muladd(7.0 / 6, z, -691.0 / 2730);
    p = muladd(p, z, 5.0 / 66);
    p = muladd(p, z, -1.0 / 30);
    p = muladd(p, z, 1.0 / 42);
  }
  p = muladd(p, z, T(-1.0 / 30));
  p = muladd(p, z, T(1.0 / 6));
  return sum + muladd(r * z, p, muladd(T(0.5), z, r));
}

constexpr double integer_power(double x, int n) {
  double power = 1;
  for (; n > 0; n >>= 1, x *= x) {
    if ((n & 1) != 0) power *= x;
  }
  return power;
}

// The sum over k >= 0 of (q + k)^-s for q > 0, by Euler's and Maclaurin's formula.
constexpr double hurwitz_zeta(int s, double q) {
  // B_2j / (2j)!
  constexpr double kBernoulli[] = {1.0 / 12,          -1.0 / 720,
                                   1.0 / 30240,       -1.0 / 1209600,
                                   1.0 / 47900160,    -691.0 / 1307674368000,
                                   1.0 / 74724249600, -3617.0 / 10670622842880000};
  const double end = 10 + s;
  double sum = 0;
  for (; q < end; q += 1) sum += integer_power(1 / q, s);
  double power = integer_power(1 / q, s), factor = s;
  sum += power * q / (s - 1) + 0.5 * power;
  for (int j = 0; j < 8; ++j) {
    power /= q;
    sum += kBernoulli[j] * factor * power;
    power /= q;
    factor *= static_cast<double>(s + 2 * j + 1) * static_cast<double>(s + 2 * j + 2);
  }
  return sum;
}

inline constexpr int kMostDerivatives = 101;

// The n-th derivative of digamma, n from 1 to kMostDerivatives.
constexpr double polygamma_of(int n, double x) {
  constexpr double kPi = 3.14159265358979323846;
  double factorial = 1;
  for (int i = 2; i <= n; ++i) factorial *= i;
  bool is_even = n % 2 == 0;
  if (x == std::numeric_limits<double>::infinity()) return 0;
  if (x > 0) return (is_even ? -factorial : factorial) * hurwitz_zeta(n + 1, x);
  if (!(x <= 0) || !(x > -0x1p53)) return std::numeric_limits<double>::quiet_NaN();
  double rest = left_over(x);
  if (rest == 0) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    return is_even ? -kInf : kInf;
  }
  // The derivatives of pi cot(pi x) are polynomials in the cotangent: p becomes -pi (1 + c^2) p'.
  double p[kMostDerivatives + 2] = {0, kPi}, c = 1 / tan_of(kPi * rest);
  for (int degree = 1; degree <= n; ++degree) {
    double next[kMostDerivatives + 2] = {};
    for (int i = 1; i <= degree; ++i) {
      next[i - 1] -= kPi * i * p[i];
      next[i + 1] -= kPi * i * p[i];
    }
    for (int i = 0; i <= degree + 1; ++i) p[i] = next[i];
  }
  double derivative = 0;
  for (int i = n + 1; i >= 0; --i) derivative = muladd(derivative, c, p[i]);
  double beyond = (is_even ? -factorial : factorial) * hurwitz_zeta(n + 1, 1 - x);
  return (is_even ? beyond : -beyond) - derivative;
}

// The n-th derivative of digamma, n from 0 on.
constexpr double nth_derivative(int n, double x) {
  if (n > 0) return polygamma_of(n, x);
  return x < 0 ? digamma_of_negative(x) : digamma_of_positive(x);
}

}  // namespace lutra
