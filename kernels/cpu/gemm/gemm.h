// One product of row-major matrices on the CPU. Each element of c is a sum over k. For float64 and the integers its
// order does not depend on the number of threads: from the first term to the last, in float64 in chunks of k. Two kinds
// are added up in lanes and blocks instead, as in loops/reduce.h: dot products of floats in small matrices, and a
// vector's products of 4,096 terms or more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "ops/matmul.h"

namespace lutra {

// Writes all of c (m, n), which is contiguous; k = 0 gives zeros. Uses threads by itself when that pays off. Integers
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

// The same, if our own tiles compute this product. bias (n), unless null, is added to every row as the product is
// written. False, and nothing is written, if something else computes it.
bool tiled_gemm(const MatMulSizes& sizes, const float* a, const float* b, const float* bias, float* c);

// From this many multiplications on a product is worth several threads.
inline constexpr double kParallelProduct = 1 << 18;

// From here on several threads compute one product of float32. oneDNN takes 4 us for 64^3 on one thread, up to 10 on
// two; 96^3 gains.
inline constexpr double kSharedProduct = 2 * kParallelProduct;

// At this many products per thread, imbalance is negligible.
inline constexpr int64_t kManyProducts = 4;

inline double multiplications(const MatMulSizes& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

// Calls multiply(begin, end) for ranges of `products` products of these sizes. If there are enough products, each is
// computed on one thread; else all threads compute each large product together.
template <class Multiply> void for_products(int64_t products, const MatMulSizes& sizes, const Multiply& multiply) {
  constexpr double kUncut = 1 << 26;  // multiplications between two looks at Ctrl-C: some milliseconds
  double cost = multiplications(sizes);
  const int64_t together = 1 + static_cast<int64_t>(kUncut / (cost + 16));
  auto multiply_range = [&](int64_t begin, int64_t end) {
    for (; begin < end && !StopRequest::is_wanted(); begin += together)
      multiply(begin, std::min(begin + together, end));
  };
  if (cost >= kSharedProduct && products < kManyProducts * max_threads()) return multiply_range(0, products);
  parallel_for(products, 1 + static_cast<int64_t>(kParallelProduct / 4 / (cost + 16)), multiply_range);
}

}  // namespace lutra
