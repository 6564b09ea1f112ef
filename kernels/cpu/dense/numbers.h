// What factorisations do with single numbers and with all numbers of a matrix. Number is double or Complex128.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/complex.h"
#include "kernels/cpu/loops/transpose.h"

namespace lutra::dense {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon() / 2;  // the error of one rounding
// Beside the largest number of a matrix that is scaled to about 1. Products of two numbers that are larger do not
// underflow; iterations whose rotations underflow change nothing, and do not end.
inline constexpr double kNegligible = 0x1p-300;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline double conjugate(double x) { return x; }
inline Complex128 conjugate(Complex128 x) { return {x.re, -x.im}; }
inline double real_part(double x) { return x; }
inline double real_part(Complex128 x) { return x.re; }
inline double imaginary_part(double) { return 0; }
inline double imaginary_part(Complex128 x) { return x.im; }
inline double absolute(double x) { return std::fabs(x); }
inline double absolute(Complex128 x) { return std::hypot(x.re, x.im); }
// Cheaper than the absolute value and as good to compare by, as in LAPACK.
inline double size_of(double x) { return std::fabs(x); }
inline double size_of(Complex128 x) { return std::fabs(x.re) + std::fabs(x.im); }
inline bool is_zero(double x) { return x == 0; }
inline bool is_zero(Complex128 x) { return x.re == 0 && x.im == 0; }

// Divides by one number many times. Smith, Algorithm 116: Complex division, 1962: no square can overflow.
template <class Number> class Divisor;
template <> class Divisor<double> {
 public:
  explicit Divisor(double x) : x_(x) {}
  double divide(double y) const { return y / x_; }

 private:
  double x_;
};
template <> class Divisor<Complex128> {
 public:
  explicit Divisor(Complex128 x) : is_real_(std::fabs(x.re) >= std::fabs(x.im)) {
    const double most = is_real_ ? x.re : x.im, least = is_real_ ? x.im : x.re;
    ratio_ = least == 0 ? 0 : least / most;  // 0: of x = 0, which gives inf
    sum_ = most + least * ratio_;
  }
  Complex128 divide(Complex128 y) const {
    // Not a difference beside a sum: see Complex's product.
    if (is_real_) return {(y.re + y.im * ratio_) / sum_, (y.im + y.re * -ratio_) / sum_};
    return {(y.re * ratio_ + y.im) / sum_, (y.re + y.im * -ratio_) / -sum_};
  }

 private:
  bool is_real_;
  double ratio_, sum_;
};
template <class Number> Number divide(Number y, Number x) { return Divisor<Number>(x).divide(y); }

// The numbers of a matrix as doubles.
inline double* parts(double* x) { return x; }
inline double* parts(Complex128* x) { return reinterpret_cast<double*>(x); }
inline const double* parts(const double* x) { return x; }
inline const double* parts(const Complex128* x) { return reinterpret_cast<const double*>(x); }
template <class Number> inline constexpr int64_t kParts = kIsComplex<Number> ? 2 : 1;

// The largest absolute value of a part; nan or inf if one is not finite.
template <class Number> double largest_part(int64_t count, const Number* numbers) {
  const double* x = parts(numbers);
  double most = 0;
  bool is_finite = true;
  for (int64_t i = 0; i < count * kParts<Number>; ++i) {
    const double size = std::fabs(x[i]);
    most = size > most ? size : most;
    is_finite &= size <= std::numeric_limits<double>::max();
  }
  return is_finite ? most : kNan;
}

template <class Number> void fill_nan(int64_t count, Number* numbers) {
  std::fill_n(parts(numbers), count * kParts<Number>, kNan);
}

// The exponent of a matrix' largest part. Divided by 2^exponent, neither squares nor sums of its numbers overflow, and
// what underflows is negligible.
inline int exponent_of(double largest) { return largest == 0 ? 0 : std::ilogb(largest); }

// Multiplies by 2^exponent, in two steps: the power may be out of range.
template <class Number> void times_power_of_two(int64_t count, Number* numbers, int exponent) {
  if (exponent == 0) return;
  const double first = std::ldexp(1.0, exponent / 2), second = std::ldexp(1.0, exponent - exponent / 2);
  double* x = parts(numbers);
  for (int64_t i = 0; i < count * kParts<Number>; ++i) x[i] = x[i] * first * second;
}

// Memory for a matrix, with whatever was there.
template <class Number> std::unique_ptr<Number[]> room_for(int64_t count) {
  return std::make_unique_for_overwrite<Number[]>(static_cast<std::size_t>(count));
}

template <class Number> void set_identity(int64_t rows, int64_t columns, Number* a) {
  std::fill_n(a, rows * columns, Number(0));
  for (int64_t i = 0; i < std::min(rows, columns); ++i) a[i * (columns + 1)] = Number(1);
}

// b (n, m) = a^T for a (m, n), or a^H.
template <bool kConjugates, class Number>
void transpose(int64_t m, int64_t n, const Number* a, int64_t a_step, Number* b, int64_t b_step) {
  lutra::transpose(a, a_step, m, n, b, b_step);
  if constexpr (kConjugates && kIsComplex<Number>) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i) b[j * b_step + i] = conjugate(b[j * b_step + i]);
    }
  }
}

}  // namespace lutra::dense
