// LU factorisation of one complex matrix by Eigen: row-major in and out, as in factorise.h.
#pragma once

#include <cstdint>
#include <memory>

#include "core/complex.h"

namespace lutra {

// 0 if the matrix is exactly singular.
struct ComplexDeterminant {
  Complex128 sign{1};  // of absolute value 1; 0: singular
  double log = 0;      // of the absolute value
  Complex128 value{1};
  void times(Complex128 pivot);
};

// P a = L U, to solve with.
class ComplexLu {
 public:
  ComplexLu();
  ~ComplexLu();
  ComplexLu(const ComplexLu&) = delete;
  // Of a (n, n). False if a is exactly singular: a pivot is 0.
  bool factorise(int64_t n, const Complex128* a);
  void invert(Complex128* inverse) const;
  // a x = b, or a^H x = b, for b (n, columns) in place; columns may be 0.
  void solve(int64_t columns, Complex128* b, bool adjoint) const;
  ComplexDeterminant determinant() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace lutra
