// Products of float32 matrices that are too large for a cache, in blocks that are packed to fit one. Every element of c
// is added up as in gemm_tiles.h, so both give the same bits.
#pragma once

#include "ops/matmul.h"

namespace lutra {

// Writes all of c (m, n), which is contiguous; bias (n), unless null, is added to every row. k > 0. Uses threads by
// itself.
void gemm_in_blocks(const MatMulSizes& sizes, const float* a, const float* b, const float* bias, float* c);

}  // namespace lutra
