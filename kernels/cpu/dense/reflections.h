// Householder's reflections I - tau v v^H with v[0] = 1, as LAPACK's larfg makes them, one by one and in blocks
// (Schreiber and Van Loan, A Storage-Efficient WY Representation for Products of Householder Transformations, 1989).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/dense/numbers.h"
#include "kernels/cpu/dense/rows.h"

namespace lutra::dense {

// Replaces x, of `count` >= 1 numbers, by v such that (I - tau v v^H)^H x = (first, 0, 0, ...) with a real `first`.
template <class Number> struct Reflection {
  Number tau;
  double first;
};
template <class Number> Reflection<Number> make_reflection(int64_t count, Number* x) {
  const Number alpha = x[0];
  const double below = count > 1 ? norm_of(count - 1, x + 1) : 0;
  x[0] = Number(1);
  // Nothing to do, or nan.
  if (below == 0 && imaginary_part(alpha) == 0) return {Number(0), real_part(alpha)};
  const double size = std::hypot(absolute(alpha), below);
  if (size < 0x1p-900) {
    // Numbers so small have few digits, and quotients would lose them.
    constexpr int kUp = 600;
    x[0] = alpha;
    times_power_of_two(count, x, kUp);
    Reflection<Number> made = make_reflection(count, x);
    made.first = std::ldexp(made.first, -kUp);
    return made;
  }
  const double first = real_part(alpha) >= 0 ? -size : size;
  Number tau, divisor;
  if constexpr (kIsComplex<Number>) {
    tau = {(first - alpha.re) / first, -alpha.im / first};
    divisor = {alpha.re - first, alpha.im};
  } else {
    tau = (first - alpha) / first;
    divisor = alpha - first;
  }
  const Divisor<Number> by(divisor);
  for (int64_t i = 1; i < count; ++i) x[i] = by.divide(x[i]);
  return {tau, first};
}

// a (rows, columns) -= factor v (v^H a); `work` has room for `columns` numbers, `factors` for `rows`.
template <class Number>
void reflect_from_left(int64_t rows, int64_t columns, const Number* v, Number factor, Number* a, int64_t step,
                       Number* work, Number* factors) {
  if (is_zero(factor) || columns == 0) return;
  for (int64_t i = 0; i < rows; ++i) factors[i] = conjugate(v[i]);
  std::fill_n(work, columns, Number(0));
  add_rows(rows, columns, a, step, factors, work);
  for (int64_t i = 0; i < rows; ++i) factors[i] = factor * v[i];
  subtract_outer(rows, columns, factors, work, a, step);
}

// a (rows, columns) -= factor (a v) v^H; `adjoint` has room for `columns` numbers.
template <class Number>
void reflect_from_right(int64_t rows, int64_t columns, const Number* v, Number factor, Number* a, int64_t step,
                        Number* adjoint) {
  if (is_zero(factor)) return;
  for (int64_t j = 0; j < columns; ++j) adjoint[j] = conjugate(v[j]);
  for (int64_t i = 0; i < rows; ++i) {
    Number* row = a + i * step;
    subtract_row(columns, factor * dot(columns, row, v), adjoint, row);
  }
}

// Reflections H_0 H_1 ... of vectors of `length` numbers. Number i leaves the first `before` + i of them as they are.
template <class Number> class Reflections {
 public:
  Reflections(int64_t length, int64_t count, int64_t before)
      : length_(length),
        count_(count),
        before_(before),
        vectors_(static_cast<std::size_t>(length * count)),
        taus_(static_cast<std::size_t>(count)) {}

  int64_t count() const { return count_; }
  int64_t first(int64_t i) const { return before_ + i; }
  // Where reflection i begins; what is before it is 0.
  Number* vector(int64_t i) { return vectors_.data() + i * length_ + before_ + i; }
  void set_tau(int64_t i, Number tau) { taus_[static_cast<std::size_t>(i)] = tau; }

  // Applies the reflections [begin, end), or the adjoint of their product, to a (length, columns) from the left.
  void apply(int64_t begin, int64_t end, bool is_adjoint, int64_t columns, Number* a, int64_t step) const;
  // q (length, columns) by rows: the first columns of the product of all reflections.
  void form(int64_t columns, Number* q) const;

 private:
  int64_t length_, count_, before_;
  std::vector<Number> vectors_;  // each in a row of `length`
  std::vector<Number> taus_;
};

// Reflections that are applied as one block, out of `count`.
inline constexpr int64_t kMostReflectionsTogether = 32;
inline int64_t reflections_together(int64_t count) { return count <= 128 ? 16 : kMostReflectionsTogether; }

}  // namespace lutra::dense
