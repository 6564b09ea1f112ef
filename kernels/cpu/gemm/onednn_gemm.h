// oneDNN's product of float32 matrices.
#pragma once

#include "ops/matmul.h"

namespace lutra {

// What a large product is cut by. The last bits depend on the cuts.
enum class Cuts { ByThreads, BySizes };

// Writes all of c (m, n), which is contiguous. Uses threads by itself when that pays off. False if memory is lacking; c
// is then meaningless.
bool onednn_gemm(const MatMulSizes& sizes, Cuts cuts, const float* a, const float* b, float* c);

// Adds the product to c, cut by its sizes.
bool onednn_gemm_added(const MatMulSizes& sizes, const float* a, const float* b, float* c);

}  // namespace lutra
