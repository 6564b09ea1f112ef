// Products of blocks of matrices in register tiles. kernels/cpu/gemm's tiles use fused multiply-adds where the
// processor has them; these give the same bits at every level, take blocks that lie within larger matrices, and complex
// numbers.
#pragma once

#include <cstdint>

#include "core/complex.h"

namespace lutra::dense {

// A block of a row-major matrix, or of its transpose or adjoint: element (i, j) is data[i * row + j * column].
template <class Number> struct Block {
  const Number* data;
  int64_t row, column = 1;
  bool is_conjugate = false;
};

// c (m, n) += a (m, k) b (k, n), or -=; rows of c begin c_step apart. Terms are added one after the other.
template <class Number>
void add_product(int64_t m, int64_t n, int64_t k, Block<Number> a, Block<Number> b, Number* c, int64_t c_step);
template <class Number>
void subtract_product(int64_t m, int64_t n, int64_t k, Block<Number> a, Block<Number> b, Number* c, int64_t c_step);

// c = a b, all (n, n).
template <class Number> void multiply(int64_t n, const Number* a, const Number* b, Number* c);

}  // namespace lutra::dense
