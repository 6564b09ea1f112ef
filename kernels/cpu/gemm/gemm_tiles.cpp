// Note [A tile and a panel]
// A tile of c, kTileRows rows of two registers each, stays in registers during the loop over k. Each step loads two
// registers of b and multiplies them by one element of every row of a. These columns of b, a panel, serve all rows of
// c. The first tile reads b where it lies and leaves a copy without gaps, which the others find in the L1 cache
// whatever b's stride is; meanwhile the next panel is prefetched. `a` is read where it lies, unless its rows collide, a
// block of rows at a time that stays in the L2 cache for all panels.
#include "kernels/cpu/gemm/gemm_tiles.h"

#include <algorithm>
#include <memory>

#include "core/parallel.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/gemm/gemm_pack.h"
#include "kernels/cpu/gemm/gemm_tile.h"

namespace lutra {
namespace {

// Rows of `a` a multiple of 1 KB apart share few sets of the L1 cache. Where many panels read them, they are copied
// first, a cache line further apart.
template <class T> constexpr int64_t kColliding = 1024 / sizeof(T);
template <class T> constexpr int64_t kLine = 64 / sizeof(T);
constexpr int64_t kManyPanels = 8;

// A chunk of k and one panel of columns; pointers are to its start.
template <class T> struct Panel {
  const T *a, *b, *bias;  // bias: null, or added with this chunk
  T* c;
  int64_t columns, k;
  bool adds, has_next;
};

template <int registers, Layout how, class T> void multiply_panel(const MatMulSizes& s, const Panel<T>& panel) {
  constexpr int64_t kWidth = registers * kInRegister<T>;
  alignas(64) T copy[kTileDepth * kWidth];
  alignas(64) T part[kTileRows * kWidth];
  const bool is_whole = panel.columns == kWidth;
  // Only for whole panels are there kernels that also copy or prefetch.
  const bool keeps = registers == 2 && is_whole && !s.transpose_b;
  if (!keeps) pack_panel(s, panel.b, 0, panel.k, 0, panel.columns, kWidth, copy);
  for (int64_t i = 0; i < s.m; i += kTileRows) {
    std::size_t rows = static_cast<std::size_t>(std::min<int64_t>(kTileRows, s.m - i));
    Tile<T> tile{.a = panel.a + (how == Layout::Turned ? i : i * s.lda),
                 .b = copy,
                 .lda = s.lda,
                 .ldb = kWidth,
                 // A row of the next panel is two cache lines, of which a tile prefetches one.
                 .ahead = panel.b + (panel.has_next ? kWidth : 0) + i / kTileRows * kInRegister<T>,
                 .ahead_step = s.ldb,
                 .copy = copy,
                 .c = is_whole ? panel.c + i * s.n : part,
                 .ldc = is_whole ? s.n : kWidth,
                 .k = panel.k,
                 .adds = is_whole && panel.adds,
                 .bias = is_whole ? panel.bias : nullptr};
    if (keeps && i == 0) {
      tile.b = panel.b;
      tile.ldb = s.ldb;
      kTileKernels<T, 2, how, Beside::Keep>[rows - 1](tile);
    } else if (keeps && i == kTileRows && panel.has_next) {
      kTileKernels<T, 2, how, Beside::Fetch>[rows - 1](tile);
    } else {
      kTileKernels<T, registers, how>[rows - 1](tile);
    }
    if (is_whole) continue;
    add_part(part, kWidth, static_cast<int64_t>(rows), panel.columns, panel.adds, panel.c + i * s.n, s.n, panel.bias);
  }
}

}  // namespace

template <class T> void gemm_in_tiles(const MatMulSizes& s, const T* a, const T* b, const T* bias, T* c) {
  // Rows of a whose chunk of k stays in the L2 cache for all panels.
  constexpr int64_t kBlockRows = 256 / kTileRows * kTileRows;
  constexpr int64_t kColumns = kTileColumns<T>;
  const int64_t depth = tile_depth(s.k), panels = (s.n + kColumns - 1) / kColumns;
  auto multiply = [=](const MatMulSizes& block, const T* rows, int64_t i, int64_t p, int64_t j) {
    Panel<T> panel{.a = rows,
                   .b = b + (s.transpose_b ? j * s.ldb + p : p * s.ldb + j),
                   .bias = bias != nullptr && p + depth >= s.k ? bias + j : nullptr,
                   .c = c + i * s.n + j,
                   .columns = std::min(kColumns, s.n - j),
                   .k = std::min(depth, s.k - p),
                   .adds = p > 0,
                   .has_next = j + kColumns < s.n};
    bool is_narrow = panel.columns <= kInRegister<T>;
    if (s.transpose_a) {
      is_narrow ? multiply_panel<1, Layout::Turned>(block, panel) : multiply_panel<2, Layout::Turned>(block, panel);
    } else {
      is_narrow ? multiply_panel<1, Layout::Plain>(block, panel) : multiply_panel<2, Layout::Plain>(block, panel);
    }
  };
  // Rows [first, last) of the panels [begin, end).
  auto multiply_range = [&](int64_t first, int64_t last, int64_t begin, int64_t end) {
    MatMulSizes block = s;
    const bool is_copied = !s.transpose_a && s.lda % kColliding<T> == 0 && end - begin >= kManyPanels;
    const int64_t step = depth + kLine<T>;
    auto copy = std::make_unique_for_overwrite<T[]>(
        is_copied ? static_cast<std::size_t>(std::min(kBlockRows, last - first) * step) : 0);
    for (int64_t i = first; i < last; i += kBlockRows) {
      block.m = std::min(kBlockRows, last - i);
      for (int64_t p = 0; p < s.k; p += depth) {
        const T* rows = a + (s.transpose_a ? p * s.lda + i : i * s.lda + p);
        if (is_copied) {
          for (int64_t r = 0; r < block.m; ++r) {
            std::copy_n(rows + r * s.lda, std::min(depth, s.k - p), copy.get() + r * step);
          }
          rows = copy.get();
          block.lda = step;
        }
        for (int64_t j = begin; j < end; ++j) multiply(block, rows, i, p, j * kColumns);
      }
    }
  };
  // Threads share the longer side of c.
  auto grain = [&](int64_t columns, int64_t rows) {
    double cost = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(s.k);
    return 1 + static_cast<int64_t>(kParallelProduct / (cost + 1));
  };
  if (s.m > s.n) {
    parallel_for((s.m + kTileRows - 1) / kTileRows, grain(s.n, kTileRows), [&](int64_t begin, int64_t end) {
      multiply_range(begin * kTileRows, std::min(s.m, end * kTileRows), 0, panels);
    });
  } else {
    parallel_for(panels, grain(kColumns, s.m), [&](int64_t begin, int64_t end) { multiply_range(0, s.m, begin, end); });
  }
}

template void gemm_in_tiles(const MatMulSizes&, const float*, const float*, const float*, float*);
template void gemm_in_tiles(const MatMulSizes&, const double*, const double*, const double*, double*);

}  // namespace lutra
