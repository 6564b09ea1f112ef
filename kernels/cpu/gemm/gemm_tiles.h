// Products of float32 matrices in tiles of registers, for those that oneDNN is slow with (gemm.cpp says which). Every
// element of c is added up in the same order, chunks of k from the first on, whatever the number of threads and the
// position in c. A multiplication and its addition are rounded once where the processor can (muladd.h).
#pragma once

#include "ops/matmul.h"

namespace lutra {

// Writes all of c (m, n), which is contiguous; bias (n), unless null, is added to every row. k > 0. Uses threads by
// itself when that pays off.
void gemm_in_tiles(const MatMulSizes& sizes, const float* a, const float* b, const float* bias, float* c);

}  // namespace lutra
