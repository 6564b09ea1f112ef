// One matrix product of row-major matrices on the CPU. Each element of c is a sum over k; for float64 and the integers
// it is added up from the first term to the last, whatever the number of threads; but dot products of floats in small
// matrices, and a vector's products of 4,096 terms or more, are sums of lanes and blocks, as those of reduce.h.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "ops/matmul.h"

namespace lutra {

// Writes all of c (m, n), which lies contiguously; k = 0 gives zeros. Uses threads by itself when that pays. Integers
// wrap.
void gemm(const MatMulSizes& sizes, const float* a, const float* b, float* c);
void gemm(const MatMulSizes& sizes, const double* a, const double* b, double* c);
void gemm(const MatMulSizes& sizes, const int32_t* a, const int32_t* b, int32_t* c);
void gemm(const MatMulSizes& sizes, const int64_t* a, const int64_t* b, int64_t* c);

// The same with the same bits on any number of threads: a large product is cut by its sizes alone. On one thread that
// takes a little longer.
void gemm_cut_by_sizes(const MatMulSizes& sizes, const float* a, const float* b, float* c);
template <class T> void gemm_cut_by_sizes(const MatMulSizes& sizes, const T* a, const T* b, T* c) {
  gemm(sizes, a, b, c);
}

// The same where tiles of our own compute it: bias (n), unless it is null, is added to every row as the product is
// written. False, and nothing is written, where something else does.
bool tiled_gemm(const MatMulSizes& sizes, const float* a, const float* b, const float* bias, float* c);

// From this many multiplications on a product is worth several threads.
inline constexpr double kParallelProduct = 1 << 18;

// A large product of float32 is shared out from here on: 64^3, 4 us alone, takes oneDNN up to 10 on two threads; 96^3
// gains.
inline constexpr double kSharedProduct = 2 * kParallelProduct;

// At this many products per thread, imbalance is negligible.
inline constexpr int64_t kManyProducts = 4;

inline double multiplications(const MatMulSizes& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

// Calls multiply(begin, end) for ranges of `products` products of these sizes. Threads share out products where there
// are enough of them, each then on one thread; else a large one is shared out by itself.
template <class Multiply> void for_products(int64_t products, const MatMulSizes& sizes, const Multiply& multiply) {
  double cost = multiplications(sizes);
  if (cost >= kSharedProduct && products < kManyProducts * max_threads()) return multiply(int64_t{0}, products);
  parallel_for(products, 1 + static_cast<int64_t>(kParallelProduct / 4 / (cost + 16)), multiply);
}

}  // namespace lutra
