#include "kernels/cpu/dense/triangle.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/product.h"
#include "kernels/cpu/dense/rows.h"

namespace lutra::dense {
namespace {

// Rows that loops solve; what they owe to the rows before is a product.
constexpr int64_t kRowsOfTriangle = 16;
// For fewer columns, each is solved for by itself, along rows of t.
constexpr int64_t kFewColumns = 4;

template <class Number> void divide_row(int64_t count, Number by, Number* row) {
  const Divisor<Number> divisor(by);
  for (int64_t i = 0; i < count; ++i) row[i] = divisor.divide(row[i]);
}

template <class Number> void solve_for_one(int64_t n, const Triangle<Number>& t, Number* x) {
  const bool is_upward = t.is_lower == t.is_adjoint;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = is_upward ? n - 1 - step : step;
    const Number* row = t.data + i * t.step;
    // The known or, of an adjoint, the unknown numbers that row i concerns.
    const int64_t begin = t.is_lower ? 0 : i + 1, count = t.is_lower ? i : n - 1 - i;
    if (!t.is_adjoint) x[i] -= dot(count, row + begin, x + begin);
    if (!t.has_ones) x[i] = divide(x[i], t.is_adjoint ? conjugate(row[i]) : row[i]);
    if (!t.is_adjoint) continue;
    const Number factor = x[i];
    Number* __restrict to = x + begin;
    for (int64_t j = 0; j < count; ++j) to[j] -= factor * conjugate(row[begin + j]);
  }
}

}  // namespace

template <class Number> void solve(int64_t n, Triangle<Number> t, int64_t columns, Number* b, int64_t b_step) {
  if (columns < kFewColumns) {
    std::vector<Number> x(static_cast<std::size_t>(columns == 0 ? 0 : n));
    for (int64_t j = 0; j < columns; ++j) {
      if (b_step == 1) {
        solve_for_one(n, t, b);
        continue;
      }
      for (int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = b[i * b_step + j];
      solve_for_one(n, t, x.data());
      for (int64_t i = 0; i < n; ++i) b[i * b_step + j] = x[static_cast<std::size_t>(i)];
    }
    return;
  }
  const bool is_upward = t.is_lower == t.is_adjoint;
  // Element (i, j) of the matrix that is solved with.
  const int64_t row = t.is_adjoint ? 1 : t.step, column = t.is_adjoint ? t.step : 1;
  auto at = [&](int64_t i, int64_t j) { return t.data + i * row + j * column; };
  for (int64_t done = 0; done < n; done += kRowsOfTriangle) {
    const int64_t size = std::min(kRowsOfTriangle, n - done);
    const int64_t first = is_upward ? n - done - size : done, known = is_upward ? first + size : 0;
    if (done > 0) {
      subtract_product<Number>(size, columns, done, {at(first, known), row, column, t.is_adjoint},
                               {b + known * b_step, b_step}, b + first * b_step, b_step);
    }
    for (int64_t step = 0; step < size; ++step) {
      const int64_t i = is_upward ? first + size - 1 - step : first + step;
      for (int64_t before = 0; before < step; ++before) {
        const int64_t j = is_upward ? first + size - 1 - before : first + before;
        const Number factor = *at(i, j);
        subtract_row(columns, t.is_adjoint ? conjugate(factor) : factor, b + j * b_step, b + i * b_step);
      }
      if (t.has_ones) continue;
      const Number diagonal = *at(i, i);
      divide_row(columns, t.is_adjoint ? conjugate(diagonal) : diagonal, b + i * b_step);
    }
  }
}

template <class Number>
void solve_triangular(int64_t n, const Number* t, bool lower, bool adjoint, int64_t columns, Number* b) {
  solve<Number>(n, {.data = t, .step = n, .is_lower = lower, .is_adjoint = adjoint}, columns, b, columns);
}

template void solve(int64_t, Triangle<double>, int64_t, double*, int64_t);
template void solve(int64_t, Triangle<Complex128>, int64_t, Complex128*, int64_t);
template void solve_triangular(int64_t, const double*, bool, bool, int64_t, double*);
template void solve_triangular(int64_t, const Complex128*, bool, bool, int64_t, Complex128*);

}  // namespace lutra::dense
