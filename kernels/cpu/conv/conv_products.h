// Convolutions that are matrix products of their arrays as they lie in memory.
#pragma once

#include <utility>

#include "core/stop_request.h"
#include "kernels/cpu/conv/conv_cuts.h"
#include "kernels/cpu/conv/onednn_conv.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/gemm/onednn_gemm.h"
#include "ops/conv.h"

namespace lutra {

// Whether each result of an axis depends only on the source at its own position.
inline bool sees_itself(const WindowAxis& axis) {
  return axis.size == 1 && axis.stride == 1 && axis.before == 0 && axis.out == axis.in;
}
// Whether an axis has one result, whose window is the whole axis.
inline bool sees_all(const WindowAxis& axis) {
  return axis.out == 1 && axis.size == axis.in && axis.dilation == 1 && axis.before == 0;
}

// The same convolution of the same arrays with as few axes as possible. An axis within a single window becomes
// channels, independent rows become images, and independent positions become one row. A single column becomes a row,
// because rows are what callers cut and vectorise.
inline ConvSizes plainest(ConvSizes s) {
  const WindowAxis one(1, 1, 1, 1, Padding{}, 0);
  for (WindowAxis* axis : {&s.height, &s.width}) {
    if (axis->in == 1 && axis->size == 1 && axis->before == 0) *axis = one;
  }
  if (s.groups == 1 && sees_all(s.width)) {
    s.channels *= s.width.in;
    s.width = one;
  }
  if (s.width.in == 1 && sees_itself(s.width)) std::swap(s.height, s.width);
  if (s.groups == 1 && s.height.in == 1 && sees_itself(s.height) && sees_all(s.width)) {
    s.channels *= s.width.in;
    s.width = one;
  }
  if (sees_itself(s.height)) {
    s.batch *= s.height.in;
    s.height = one;
    if (sees_itself(s.width)) {
      s.width.in = s.width.out = s.batch * s.width.in;
      s.batch = 1;
    }
  }
  return s;
}

// Whether it is one product, a row of x for each result. `s` comes from plainest().
inline bool is_product(const ConvSizes& s) {
  return s.groups == 1 && s.batch == 1 && sees_itself(s.height) && s.height.in == 1 && sees_itself(s.width);
}

// c (m, n) = a (m, k) b, in ranges of rows, each product on one thread: the same bits on any number of threads.
template <class C> void product_by_rows(const MatMulSizes& s, const C* a, const C* b, C* c) {
  constexpr int64_t kLeastRows = 48;
  const auto wanted = static_cast<int64_t>(std::clamp(multiplications(s) / kConvPartWork, 1.0, double{kMostConvParts}));
  const int64_t rows = std::max(kLeastRows, (s.m + wanted - 1) / wanted), parts = (s.m + rows - 1) / rows;
  if (parts <= 1) return gemm_cut_by_sizes(s, a, b, c);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    const int64_t last = std::min(end * rows, s.m);
    for (int64_t first = begin * rows; first < last && !StopRequest::is_wanted(); first += rows) {
      MatMulSizes part = s;
      part.m = std::min(rows, s.m - first);
      gemm(part, a + first * s.lda, b, c + first * s.n);
    }
  });
}

// Computes what onednn_conv does, in any dtype that has a gemm.
template <class C> void conv_product(ConvPart part, const ConvSizes& s, const C* first, const C* second, C* result) {
  const int64_t places = s.width.out, in = s.channels, out = s.out;
  MatMulSizes sizes{
      .m = places, .n = out, .k = in, .k_of_b = in, .lda = in, .ldb = out, .transpose_a = false, .transpose_b = false};
  if (part == ConvPart::Output) return product_by_rows(sizes, first, second, result);
  if (part == ConvPart::Input) {
    sizes.n = in;
    sizes.k = sizes.k_of_b = sizes.lda = out;
    sizes.transpose_b = true;
    return product_by_rows(sizes, second, first, result);
  }
  sizes.m = in;
  sizes.k = sizes.k_of_b = places;
  sizes.transpose_a = true;
  gemm_cut_by_sizes(sizes, first, second, result);
}

// Whether a convolution along one row is the sum of few products: taps that are one step of the windows' stride apart
// are rows of x. Only with AVX-512: elsewhere the tiles of conv_tiles.h are faster.
inline bool is_sum_of_products([[maybe_unused]] const ConvSizes& s) {
#if defined(__AVX512F__)
  constexpr int64_t kMostProducts = 2, kLeastDepth = 256;
  const WindowAxis& w = s.width;
  bool is_line = s.height.in == 1 && sees_itself(s.height), is_dense = w.size == 1 || w.dilation == 1;
  bool is_inside = w.before == 0 && (w.out - 1) * w.stride + w.size <= w.in;
  return s.groups == 1 && is_line && is_dense && is_inside && w.size <= kMostProducts * w.stride &&
         w.stride * s.channels >= kLeastDepth && s.multiplications() >= kSharedProduct;
#else
  return false;
#endif
}

// Computes y from x and w where is_sum_of_products(s). False if there is no memory for it.
inline bool sum_of_products(const ConvSizes& s, const float* x, const float* w, float* y) {
  const int64_t step = s.width.stride * s.channels;
  for (int64_t image = 0; image < s.batch && !StopRequest::is_wanted(); ++image) {
    float* result = y + image * s.width.out * s.out;
    for (int64_t tap = 0; tap < s.width.size; tap += s.width.stride) {
      const int64_t depth = std::min(s.width.stride, s.width.size - tap) * s.channels;
      const MatMulSizes sizes{s.width.out, s.out, depth, depth, step, s.out, false, false};
      const float *a = x + (image * s.width.in + tap) * s.channels, *b = w + tap * s.channels * s.out;
      const bool done =
          tap == 0 ? onednn_gemm(sizes, Cuts::BySizes, a, b, result) : onednn_gemm_added(sizes, a, b, result);
      if (!done) return false;
    }
  }
  return true;
}

}  // namespace lutra
