// Products of float32 matrices in tiles of registers, for those that oneDNN is slow with (gemm.cpp says which). Every
// element of c is added up in the same order, pieces of k from the first on, whatever the number of threads and the
// place in c; where the processor has it, with one rounding for a multiplication and its addition (muladd.h).
#pragma once

#include "ops/matmul.h"

namespace lutra {

// Writes all of c (m, n), which lies contiguously; bias (n), where there is one, is added to every row. k > 0. Uses
// threads by itself when that pays.
void gemm_in_tiles(const MatMulSizes& sizes, const float* a, const float* b, const float* bias, float* c);

}  // namespace lutra
