#include "kernels/cpu/dense/lu.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/cpu/dense/product.h"
#include "kernels/cpu/dense/rows.h"
#include "kernels/cpu/dense/triangle.h"

namespace lutra::dense {
namespace {

// A pivot's sign: 0 of 0, nan of nan.
double sign_of(double pivot) { return pivot > 0 ? 1 : pivot < 0 ? -1 : pivot == 0 ? 0 : kNan; }
Complex128 sign_of(Complex128 pivot) {
  const double size = absolute(pivot);
  return size == 0 ? Complex128(0) : Complex128(pivot.re / size, pivot.im / size);
}

// Columns that loops factorise; what is beside them is updated by a product.
int64_t columns_of_panel(int64_t n) { return n <= 256 ? 16 : 32; }

// P a = L U in place of a (m, n), as LAPACK's getrf leaves it. Rows are exchanged in all of a, and in `order`; `swaps`
// counts that. False if a pivot is 0.
template <class Number> bool factorise_in_place(int64_t m, int64_t n, Number* a, int64_t* order, int64_t& swaps) {
  const int64_t k = std::min(m, n), width = columns_of_panel(n);
  bool is_regular = true;
  swaps = 0;
  std::iota(order, order + m, int64_t{0});
  for (int64_t first = 0; first < k; first += width) {
    const int64_t end = std::min(k, first + width);
    for (int64_t j = first; j < end; ++j) {
      int64_t best = j;
      double most = size_of(a[j * n + j]);
      for (int64_t i = j + 1; i < m; ++i) {
        const double size = size_of(a[i * n + j]);
        if (size > most) most = size, best = i;
      }
      if (best != j) {
        std::swap_ranges(a + j * n, a + (j + 1) * n, a + best * n);
        std::swap(order[j], order[best]);
        ++swaps;
      }
      const Number* row = a + j * n;
      if (is_zero(row[j])) {
        is_regular = false;
        continue;
      }
      const Divisor<Number> pivot(row[j]);
      for (int64_t i = j + 1; i < m; ++i) {
        Number* to = a + i * n;
        to[j] = pivot.divide(to[j]);
        subtract_row(end - j - 1, to[j], row + j + 1, to + j + 1);
      }
    }
    if (end == n) continue;
    Number* beside = a + first * n + end;
    solve<Number>(end - first, {.data = a + first * (n + 1), .step = n, .is_lower = true, .has_ones = true}, n - end,
                  beside, n);
    if (end < m) {
      subtract_product<Number>(m - end, n - end, end - first, {a + end * n + first, n}, {beside, n}, a + end * (n + 1),
                               n);
    }
  }
  return is_regular;
}

// Rows of `to` are the rows order[i] of `from`, or the other way round.
template <class Number>
void permute(const std::vector<int64_t>& order, int64_t columns, bool is_back, const Number* from, Number* to) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int64_t here = static_cast<int64_t>(i), there = order[i];
    std::copy_n(from + (is_back ? here : there) * columns, columns, to + (is_back ? there : here) * columns);
  }
}

}  // namespace

template <class Number> bool Lu<Number>::factorise(int64_t n, const Number* a) {
  n_ = n;
  factors_.assign(a, a + n * n);
  order_.resize(static_cast<std::size_t>(n));
  int64_t swaps = 0;
  return factorise_in_place(n, n, factors_.data(), order_.data(), swaps);
}

template <class Number> void Lu<Number>::invert(Number* inverse) const {
  std::fill_n(inverse, n_ * n_, Number(0));
  for (int64_t i = 0; i < n_; ++i) inverse[i * n_ + order_[static_cast<std::size_t>(i)]] = Number(1);
  dense::solve<Number>(n_, {.data = factors_.data(), .step = n_, .is_lower = true, .has_ones = true}, n_, inverse, n_);
  dense::solve<Number>(n_, {.data = factors_.data(), .step = n_, .is_lower = false}, n_, inverse, n_);
}

// a^H = U^H L^H P.
template <class Number> void Lu<Number>::solve(int64_t columns, Number* b, bool adjoint) const {
  if (columns == 0) return;
  const Triangle<Number> lower{factors_.data(), n_, true, adjoint, true}, upper{factors_.data(), n_, false, adjoint};
  const std::vector<Number> before(b, b + n_ * columns);
  if (!adjoint) {
    permute(order_, columns, false, before.data(), b);
    dense::solve(n_, lower, columns, b, columns);
    dense::solve(n_, upper, columns, b, columns);
  } else {
    std::vector<Number> x(before);
    dense::solve(n_, upper, columns, x.data(), columns);
    dense::solve(n_, lower, columns, x.data(), columns);
    permute(order_, columns, true, x.data(), b);
  }
}

template <class Number> void Determinant<Number>::times(Number pivot) {
  sign *= sign_of(pivot);
  log += std::log(absolute(pivot));
  value *= pivot;
}

template <class Number> Determinant<Number> determinant(int64_t n, const Number* a) {
  std::vector<Number> factors(a, a + n * n);
  std::vector<int64_t> order(static_cast<std::size_t>(n));
  int64_t swaps = 0;
  factorise_in_place(n, n, factors.data(), order.data(), swaps);
  Determinant<Number> found;
  found.sign = found.value = Number(swaps % 2 == 0 ? 1.0 : -1.0);
  for (int64_t i = 0; i < n; ++i) found.times(factors[static_cast<std::size_t>(i * (n + 1))]);
  return found;
}

template <class Number> void lu(int64_t m, int64_t n, const Number* a, Number* p, Number* l, Number* u) {
  const int64_t k = std::min(m, n);
  std::vector<Number> packed(a, a + m * n);
  std::vector<int64_t> order(static_cast<std::size_t>(m));
  int64_t swaps = 0;
  factorise_in_place(m, n, packed.data(), order.data(), swaps);
  std::fill_n(p, m * m, Number(0));
  for (int64_t i = 0; i < m; ++i) {
    const Number* row = packed.data() + i * n;
    const int64_t below = std::min(i, k);
    std::copy_n(row, below, l + i * k);
    std::fill_n(l + i * k + below, k - below, Number(0));
    if (i < k) {
      l[i * k + i] = Number(1);
      std::fill_n(u + i * n, i, Number(0));
      std::copy_n(row + i, n - i, u + i * n + i);
    }
    p[order[static_cast<std::size_t>(i)] * m + i] = Number(1);
  }
}

template class Lu<double>;
template class Lu<Complex128>;
template struct Determinant<double>;
template struct Determinant<Complex128>;
template Determinant<double> determinant(int64_t, const double*);
template Determinant<Complex128> determinant(int64_t, const Complex128*);
template void lu(int64_t, int64_t, const double*, double*, double*, double*);
template void lu(int64_t, int64_t, const Complex128*, Complex128*, Complex128*, Complex128*);

}  // namespace lutra::dense
