// LU factorisation of one matrix of double or Complex128 by Eigen: row-major in and out, as in factorise.h.
#pragma once

#include <cstdint>
#include <memory>

#include "core/complex.h"

namespace lutra {

// P a = L U, to solve with.
template <class Number> class Lu {
 public:
  Lu();
  ~Lu();
  Lu(const Lu&) = delete;
  // Of a (n, n). False if a is exactly singular: a pivot is 0.
  bool factorise(int64_t n, const Number* a);
  void invert(Number* inverse) const;
  // a x = b, or a^H x = b, for b (n, columns) in place; columns may be 0.
  void solve(int64_t columns, Number* b, bool adjoint) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
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

}  // namespace lutra
