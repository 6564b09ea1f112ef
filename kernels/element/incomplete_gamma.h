// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x), in double precision, to a relative
// error of some 1e-14. By power series for small x, by Legendre's continued fraction for large x, and for large a near
// x by Temme's uniform expansion (DLMF 8.7.1, 8.9.2 and 8.12). The smaller of the two is computed, so that neither
// loses digits.
#pragma once

#include "kernels/element/special.h"

namespace lutra {

// The coefficients of eta / mu in powers of eta, for eta^2 / 2 = mu - log(1 + mu); by the recurrence from
// mu mu' = eta (1 + mu), in rational numbers.
inline constexpr double kTemmeSlopes[] = {1.0,
                                          -0.3333333333333333,
                                          0.08333333333333333,
                                          -0.014814814814814815,
                                          0.0011574074074074073,
                                          0.0003527336860670194,
                                          -0.0001787551440329218,
                                          3.919263178522438e-05,
                                          -2.185448510679992e-06,
                                          -1.85406221071516e-06,
                                          8.296711340953087e-07,
                                          -1.7665952736826078e-07,
                                          6.707853543401498e-09,
                                          1.0261809784240309e-08,
                                          -4.382036018453353e-09,
                                          9.14769958223679e-10,
                                          -2.5514193994946248e-11,
                                          -5.830772132550426e-11,
                                          2.4361948020667415e-11,
                                          -5.0276692801141755e-12,
                                          1.1004392031956135e-13,
                                          3.371763262400985e-13,
                                          -1.392388722418162e-13,
                                          2.8534893807047445e-14,
                                          -5.139111834242572e-16,
                                          -1.9752288294349442e-15,
                                          8.099521156704561e-16,
                                          -1.6522531216398162e-16,
                                          2.5305430097478883e-18};

inline constexpr double kTemmeLeast = 20;

// log(gamma(1 + a)) for 0 <= a <= 1/2, to a relative error.
constexpr double lgamma_of_one_more(double a) { return a * (1.0 + a) * lgamma_ratio(a) - log1p_of(a); }

// a (mu - log(1 + mu)) for mu = (x - a) / a.
constexpr double incomplete_exponent(double a, double x) {
  double mu = (x - a) / a;
  if (std::fabs(mu) > 0.3) return a * (mu - log_of(x / a));
  double s = mu / (2.0 + mu), z = s * s, sum = 0;
  for (int k = 12; k >= 1; --k) sum = muladd(sum, z, 1.0 / (2 * k + 1));
  return a * s * (mu - 2.0 * z * sum);
}

// x^a e^-x / gamma(a).
constexpr double incomplete_factor(double a, double x) {
  if (a < kTemmeLeast) return exp_of(a * log_of(x) - x - lgamma_of_positive(a));
  return std::sqrt(a * 0.15915494309189533577) * exp_of(-incomplete_exponent(a, x) - stirling_rest(1.0 / a));
}

struct GammaParts {
  double lower, upper;
};

// For a from kTemmeLeast on and eta^2 < 1.
constexpr GammaParts temme_parts(double a, double x) {
  constexpr int kCount = static_cast<int>(sizeof kTemmeSlopes / sizeof *kTemmeSlopes);
  double w = incomplete_exponent(a, x), root = std::sqrt(w);
  double eta = std::copysign(root * std::sqrt(2.0 / a), x - a);
  // The coefficients of gamma*(a) times the rest, from the last: t[n - 1] = f[n] + (n + 1) / a t[n + 1].
  double even = 0, odd = 0, sum = 0;  // t[n + 1] and t[n]
  for (int n = kCount - 1; n >= 1; --n) {
    double next = kTemmeSlopes[n] + (n + 1) / a * even;
    sum = muladd(sum, eta, next);
    even = odd;
    odd = next;
  }
  double rest = sum / ((1.0 + even / a) * std::sqrt(6.2831853071795864769 * a));
  double fall = exp_of(-w), half = 0.5 * scaled_erfc(root);
  if (x >= a) {
    double upper = fall * (half + rest);
    return {1.0 - upper, upper};
  }
  double lower = fall * (half - rest);
  return {lower, 1.0 - lower};
}

constexpr double lower_by_series(double a, double x) {
  double term = 1, sum = 1;
  for (double n = a + 1; term > sum * 1e-17; n += 1) {
    term *= x / n;
    sum += term;
  }
  return sum * incomplete_factor(a, x) / a;
}

// For x below about 1: without the difference from 1, which would lose the digits of small a.
constexpr double upper_by_series(double a, double x) {
  double term = 1, sum = 0;
  for (int n = 1; n < 60; ++n) {
    term *= -x / n;
    sum += term / (a + n);
  }
  double logarithm = a * log_of(x) - (a <= 0.5 ? lgamma_of_one_more(a) : lgamma_of_positive(a + 1.0));
  return -expm1_of(logarithm) - exp_of(logarithm) * a * sum;
}

// Lentz's method, as Thompson and Barnett (1986) have it.
constexpr double upper_by_fraction(double a, double x) {
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
  for (int n = 1; n < 1000; ++n) {
    double numerator = -n * (n - a);
    b += 2.0;
    d = numerator * d + b;
    d = 1.0 / (d == 0 ? 1e-300 : d);
    c = b + numerator / c;
    c = c == 0 ? 1e-300 : c;
    double factor = d * c;
    h *= factor;
    if (std::fabs(factor - 1.0) < 2e-16) break;
  }
  return h * incomplete_factor(a, x);
}

constexpr GammaParts gamma_parts(double a, double x) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == kInf && x == kInf)) return {kNan, kNan};
  if (x == 0 || a == kInf) return {0, 1};
  if (a == 0 || x == kInf) return {1, 0};
  if (a >= kTemmeLeast && x > 0.31 * a && x < 2.3 * a) return temme_parts(a, x);
  if (x <= 1.1 && x > a) {
    double upper = upper_by_series(a, x);
    return {1.0 - upper, upper};
  }
  if (x <= a || x <= 1.1) {
    double lower = lower_by_series(a, x);
    return {lower, x <= 1.1 && a < 1.1 ? upper_by_series(a, x) : 1.0 - lower};
  }
  double upper = upper_by_fraction(a, x);
  return {1.0 - upper, upper};
}

}  // namespace lutra
