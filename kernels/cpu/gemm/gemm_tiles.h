// Products in tiles of registers: of float64 matrices, and of float32 matrices that oneDNN is slow with (gemm.cpp says
// which). Every element of c is added up in the same order, chunks of k from the first on, whatever the number of
// threads and the position in c. A multiplication and its addition are rounded once where the processor can (muladd.h).
#pragma once

#include "ops/matmul.h"

namespace lutra {

// Writes all of c (m, n), which is contiguous; bias (n), unless null, is added to every row. k > 0. Uses threads by
// itself when that pays off.
template <class T> void gemm_in_tiles(const MatMulSizes& sizes, const T* a, const T* b, const T* bias, T* c);
extern template void gemm_in_tiles(const MatMulSizes&, const float*, const float*, const float*, float*);
extern template void gemm_in_tiles(const MatMulSizes&, const double*, const double*, const double*, double*);

}  // namespace lutra
