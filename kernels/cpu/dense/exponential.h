// The exponential of a matrix, for any products and quotients of matrices: those of dense.h, or LAPACK's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/complex.h"
#include "core/parallel.h"
#include "kernels/element/pade.h"

namespace lutra::dense {

// Products::multiply(n, a, b, c) is c = a b, and Products::divide(n, a, b) is b = a^-1 b, where a may be overwritten.
// Both may read and write transposes instead: the matrices here commute.
template <class T, class Products> class Exponential {
 public:
  explicit Exponential(int64_t n) : n_(n) {}

  // All nan if an element is not finite, or the sum of a row.
  void compute(const T* a, T* exponential) const {
    const double norm = norm_of(a);
    if (!std::isfinite(norm)) {
      const RealOf<T> nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
      if constexpr (kIsComplex<T>) std::fill(exponential, exponential + n_ * n_, T(nan, nan));
      else std::fill(exponential, exponential + n_ * n_, nan);
      return;
    }
    const Pade pade = choose_pade<RealOf<T>>(norm);
    const double* b = pade.coefficients;
    Matrix x(a, a + n_ * n_);
    if (pade.squarings > 0) {
      const auto factor = std::ldexp(RealOf<T>(1), -pade.squarings);
      for (T& number : x) number = factor * number;
    }
    const Matrix x2 = times(x, x);
    Matrix x4, x6, x8;
    std::vector<const Matrix*> powers{&x2};
    if (pade.order > 3) powers.push_back(&(x4 = times(x2, x2)));
    if (pade.order > 5) powers.push_back(&(x6 = times(x2, x4)));
    if (pade.order == 9) powers.push_back(&(x8 = times(x4, x4)));
    // The even powers of the polynomial, and the odd ones without their factor x.
    Matrix even = combined(b[0], powers, b + 2, 2), odd = combined(b[1], powers, b + 3, 2);
    if (pade.order == 13) {
      const Matrix high_even = times(x6, combined(0, powers, b + 8, 2)),
                   high_odd = times(x6, combined(0, powers, b + 9, 2));
      constexpr double kOne[] = {1};
      even = combined(0, {&even, &high_even}, kOne, 0);
      odd = combined(0, {&odd, &high_odd}, kOne, 0);
    }
    odd = times(x, odd);
    // (even + odd) / (even - odd)
    Matrix result(even.size());
    for (std::size_t i = 0; i < even.size(); ++i) {
      result[i] = even[i] + odd[i];
      even[i] -= odd[i];
    }
    Products::divide(n_, even.data(), result.data());
    for (int i = 0; i < pade.squarings; ++i) {
      Products::multiply(n_, result.data(), result.data(), odd.data());
      result.swap(odd);
    }
    std::copy(result.begin(), result.end(), exponential);
  }

 private:
  using Matrix = std::vector<T>;
  static constexpr int64_t kGrain = 1 << 15;

  Matrix times(const Matrix& a, const Matrix& b) const {
    Matrix c(a.size());
    Products::multiply(n_, a.data(), b.data(), c.data());
    return c;
  }

  // The identity times `constant`, plus powers[i] times factors[i * step].
  Matrix combined(double constant, const std::vector<const Matrix*>& powers, const double* factors, int step) const {
    Matrix sum(static_cast<std::size_t>(n_ * n_));
    parallel_for(n_ * n_, kGrain, [&](int64_t begin, int64_t end) {
      for (std::size_t p = 0; p < powers.size(); ++p) {
        const auto factor = static_cast<RealOf<T>>(factors[p * static_cast<std::size_t>(step)]);
        const T* power = powers[p]->data();
        for (int64_t i = begin; i < end; ++i) sum[static_cast<std::size_t>(i)] += factor * power[i];
      }
    });
    for (int64_t i = 0; i < n_; ++i) {
      sum[static_cast<std::size_t>(i * (n_ + 1))] += T(static_cast<RealOf<T>>(constant));
    }
    return sum;
  }

  static double absolute(T x) {
    if constexpr (kIsComplex<T>) return std::hypot(static_cast<double>(x.re), static_cast<double>(x.im));
    else return std::fabs(static_cast<double>(x));
  }
  double norm_of(const T* a) const {
    double most = 0;
    for (int64_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < n_; ++j) sum += absolute(a[i * n_ + j]);
      most = sum > most || std::isnan(sum) ? sum : most;
    }
    return most;
  }

  int64_t n_;
};

}  // namespace lutra::dense
