// The exponential of a matrix: nearly all of it is products, so that LAPACK's are worth having.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "kernels/element/pade.h"
#include "kernels/lapack/blocked.h"
#include "kernels/lapack/factorise.h"

namespace lutra::lapack {
namespace {

constexpr int64_t kGrain = 1 << 15;

template <class T> using Matrix = std::vector<T>;

template <class T> Matrix<T> times(int64_t n, const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c(a.size());
  multiply(n, a.data(), b.data(), c.data());
  return c;
}

// The identity times `constant`, plus powers[i] times factors[i].
template <class T>
Matrix<T> combined(int64_t n, double constant, const std::vector<const Matrix<T>*>& powers, const double* factors,
                   int step) {
  Matrix<T> sum(static_cast<std::size_t>(n * n));
  parallel_for(n * n, kGrain, [&](int64_t begin, int64_t end) {
    for (std::size_t p = 0; p < powers.size(); ++p) {
      const auto factor = static_cast<RealOf<T>>(factors[p * static_cast<std::size_t>(step)]);
      const T* power = powers[p]->data();
      for (int64_t i = begin; i < end; ++i) sum[static_cast<std::size_t>(i)] += factor * power[i];
    }
  });
  for (int64_t i = 0; i < n; ++i) sum[static_cast<std::size_t>(i * (n + 1))] += T(static_cast<RealOf<T>>(constant));
  return sum;
}

double absolute(double x) { return std::fabs(x); }
template <class T> double absolute(Complex<T> x) {
  return std::hypot(static_cast<double>(x.re), static_cast<double>(x.im));
}
template <class T> double norm_of(int64_t n, const T* a) {
  double most = 0;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += absolute(a[i * n + j]);
    most = sum > most || std::isnan(sum) ? sum : most;
  }
  return most;
}

}  // namespace

// The factors of each product commute, so that it does not matter that the library sees transposes.
template <class T> void expm(int64_t n, const T* a, T* exponential) {
  const double norm = norm_of(n, a);
  if (!std::isfinite(norm)) {
    const RealOf<T> nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
    if constexpr (kIsComplex<T>) std::fill(exponential, exponential + n * n, T(nan, nan));
    else std::fill(exponential, exponential + n * n, nan);
    return;
  }
  const Pade pade = choose_pade<RealOf<T>>(norm);
  const double* b = pade.coefficients;
  Matrix<T> x(a, a + n * n);
  if (pade.squarings > 0) {
    const auto factor = std::ldexp(RealOf<T>(1), -pade.squarings);
    for (T& number : x) number = factor * number;
  }
  const Matrix<T> x2 = times(n, x, x);
  Matrix<T> x4, x6, x8;
  std::vector<const Matrix<T>*> powers{&x2};
  if (pade.order > 3) powers.push_back(&(x4 = times(n, x2, x2)));
  if (pade.order > 5) powers.push_back(&(x6 = times(n, x2, x4)));
  if (pade.order == 9) powers.push_back(&(x8 = times(n, x4, x4)));
  // The even powers of the polynomial, and the odd ones without their factor x.
  Matrix<T> even = combined(n, b[0], powers, b + 2, 2), odd = combined(n, b[1], powers, b + 3, 2);
  if (pade.order == 13) {
    const Matrix<T> high_even = times(n, x6, combined(n, 0, powers, b + 8, 2)),
                    high_odd = times(n, x6, combined(n, 0, powers, b + 9, 2));
    constexpr double kOne[] = {1};
    even = combined<T>(n, 0, {&even, &high_even}, kOne, 0);
    odd = combined<T>(n, 0, {&odd, &high_odd}, kOne, 0);
  }
  odd = times(n, x, odd);
  // (even + odd) / (even - odd)
  Matrix<T> result(even.size());
  for (std::size_t i = 0; i < even.size(); ++i) {
    result[i] = even[i] + odd[i];
    even[i] -= odd[i];
  }
  std::vector<int> pivots;
  factorise_lu(n, n, even.data(), pivots);
  solve_by_lu(n, n, even.data(), pivots, false, result.data());
  for (int i = 0; i < pade.squarings; ++i) {
    multiply(n, result.data(), result.data(), odd.data());
    result.swap(odd);
  }
  std::copy(result.begin(), result.end(), exponential);
}

template void expm(int64_t, const float*, float*);
template void expm(int64_t, const double*, double*);
template void expm(int64_t, const Complex64*, Complex64*);
template void expm(int64_t, const Complex128*, Complex128*);

}  // namespace lutra::lapack
