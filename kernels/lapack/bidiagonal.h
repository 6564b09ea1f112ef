// A matrix as Q B P^T, B upper bidiagonal, in blocks of columns on Lutra's threads (gebrd of LAPACK; Golub and Van
// Loan, Matrix Computations, 5.4.8). Each step reads the matrix once, not twice (Howell, Demmel, Fulton, Hammarling and
// Marmol, ACM Trans. Math. Softw. 34, 2008).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/lapack/reflections.h"

namespace lutra::lapack {

// Of a matrix (q.rows, q.count) with no fewer rows than columns.
template <class T> struct Bidiagonal {
  Bidiagonal(int64_t rows, int64_t columns)
      : q(rows, columns, true),
        p(columns, columns, true),
        diagonal(static_cast<std::size_t>(columns)),
        above(static_cast<std::size_t>(columns)) {}

  Reflections<T> q, p;
  std::vector<T> diagonal, above;  // above[i]: in row i and column i + 1
};

// The columns of b.q.vectors are those of the matrix, whose largest element is near one, and become reflections. When
// the user interrupts it, the result is meaningless.
template <class T> void bidiagonalise(Bidiagonal<T>& b);

}  // namespace lutra::lapack
