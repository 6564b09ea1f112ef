#include "kernels/cpu/dense/triangle.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/product.h"
#include "kernels/cpu/dense/rows.h"

namespace lutra::dense {
namespace {

// Rows that loops solve. More are halved, so that most of the work is a product.
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
  // Element (i, j) of the matrix that is solved with is at t.data[i * row + j * column].
  const int64_t row = t.is_adjoint ? 1 : t.step, column = t.is_adjoint ? t.step : 1;
  if (n > kRowsOfTriangle) {
    // The half that does not depend on the other, what the other owes to it, and the other.
    const int64_t half = (n / 2 + kRowsOfTriangle - 1) / kRowsOfTriangle * kRowsOfTriangle;
    const int64_t size = is_upward ? n - half : half, first = is_upward ? half : 0, other = is_upward ? 0 : half;
    Triangle<Number> part = t;
    part.data = t.data + first * (t.step + 1);
    solve(size, part, columns, b + first * b_step, b_step);
    subtract_product<Number>(n - size, columns, size,
                             {t.data + other * row + first * column, row, column, t.is_adjoint},
                             {b + first * b_step, b_step}, b + other * b_step, b_step);
    part.data = t.data + other * (t.step + 1);
    solve(n - size, part, columns, b + other * b_step, b_step);
    return;
  }
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = is_upward ? n - 1 - step : step;
    for (int64_t before = 0; before < step; ++before) {
      const int64_t j = is_upward ? n - 1 - before : before;
      const Number factor = t.data[i * row + j * column];
      subtract_row(columns, t.is_adjoint ? conjugate(factor) : factor, b + j * b_step, b + i * b_step);
    }
    if (t.has_ones) continue;
    const Number diagonal = t.data[i * (t.step + 1)];
    divide_row(columns, t.is_adjoint ? conjugate(diagonal) : diagonal, b + i * b_step);
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
