// oneDNN's product of float32 matrices.
#pragma once

#include "ops/matmul.h"

namespace lutra {

// Writes all of c (m, n), which lies contiguously. Uses threads by itself when that pays, and the last bits may depend
// on their number. False for want of memory: c is then anything.
bool onednn_gemm(const MatMulSizes& sizes, const float* a, const float* b, float* c);

}  // namespace lutra
