// A symmetric matrix as Q T Q^T, T tridiagonal, in blocks of columns on Lutra's threads (sytrd of LAPACK; Golub and Van
// Loan, Matrix Computations, 8.3).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/lapack/reflections.h"

namespace lutra::lapack {

template <class T> struct Tridiagonal {
  Reflections<T> q;                 // not forward
  std::vector<T> diagonal, beside;  // beside[i]: in rows i and i + 1
};

// Of a times 2^exponent, whose largest element is near one. Reads the lower triangle of the row-major a (n, n). When
// the user interrupts it, the result is meaningless.
template <class T> Tridiagonal<T> tridiagonalise(int64_t n, const T* a, int exponent);

}  // namespace lutra::lapack
