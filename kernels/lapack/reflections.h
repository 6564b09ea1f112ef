// Householder's reflections I - factor v v^T, and products of many (Golub and Van Loan, Matrix Computations, 5.1).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/lapack/columns.h"

namespace lutra::lapack {

// The product H(0) H(1) ... of `count` reflections if it is forward, else of the same in the opposite order. Column i
// of `vectors` is the v of H(i): zero before row i if it is forward, else from row i on.
template <class T> struct Reflections {
  Reflections(int64_t rows, int64_t count, bool is_forward)
      : rows(rows),
        count(count),
        step((whole_registers<T>(rows) / kInRegister<T> | 1) * kInRegister<T>),
        is_forward(is_forward),
        vectors(step * whole_registers<T>(count)),
        factors(static_cast<std::size_t>(count)) {}

  const int64_t rows, count;
  // From column to column: an odd number of registers, since with a power of two columns would share a few places of
  // the cache.
  const int64_t step;
  const bool is_forward;
  AlignedNumbers<T> vectors;
  std::vector<T> factors;
};

// (head, tail) becomes the vector of a reflection, whose head is 1, that makes the tail 0. `kept` becomes what the head
// is then, and `scale` what the tail was multiplied by. Returns the factor.
template <class T> T reflect(T& head, T* tail, int64_t n, T& kept, T& scale);

// `count` columns of `rows` numbers: number i of column j is at[order[j] * right + i * down]. Without `order`, it is j.
template <class T> struct ColumnsOf {
  const T* at;
  int64_t rows, count, right, down;
  const int* order = nullptr;
};

// out = q z, by rows or by columns. Rows that z lacks are 0. When the user interrupts it, the result is meaningless.
template <class T> void multiply(const Reflections<T>& q, const ColumnsOf<T>& z, bool by_rows, T* out);

}  // namespace lutra::lapack
