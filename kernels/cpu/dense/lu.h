// LU factorisation of one matrix of double or Complex128: row-major in and out, as in dense.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/complex.h"

namespace lutra::dense {

// P a = L U, to solve with.
template <class Number> class Lu {
 public:
  // Of a (n, n). False if a is exactly singular: a pivot is 0.
  bool factorise(int64_t n, const Number* a);
  void invert(Number* inverse) const;
  // a x = b, or a^H x = b, for b (n, columns) in place; columns may be 0.
  void solve(int64_t columns, Number* b, bool adjoint) const;

 private:
  int64_t n_ = 0;
  std::vector<Number> factors_;
  std::vector<int64_t> order_;  // row i of the factors was row order_[i] of a
};

// The determinant of a (n, n), 0 if it is exactly singular.
template <class Number> struct Determinant {
  Number sign{1};  // of absolute value 1; 0: singular
  double log = 0;  // of the absolute value
  Number value{1};
  void times(Number pivot);
};
template <class Number> Determinant<Number> determinant(int64_t n, const Number* a);

// a (m, n) = p l u: p (m, m) a permutation, l (m, k) with ones on its diagonal, u (k, n), k the smaller of m and n.
// Partial pivoting.
template <class Number> void lu(int64_t m, int64_t n, const Number* a, Number* p, Number* l, Number* u);

}  // namespace lutra::dense
