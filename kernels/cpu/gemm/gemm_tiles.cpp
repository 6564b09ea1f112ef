// Note [A tile and a panel]
// A tile of c, kTileRows rows of two registers each, stays in registers during the loop over k. Each step loads two
// registers of b and multiplies them by one element of every row of a. These columns of b, a panel, serve all rows of
// c. The first tile reads b where it lies and leaves a copy without gaps, which the others find in the L1 cache
// whatever b's stride is; meanwhile the next panel is prefetched. `a` is read where it lies, a block of rows at a time
// that stays in the L2 cache for all panels.
#include "kernels/cpu/gemm/gemm_tiles.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/gemm/gemm_pack.h"
#include "kernels/cpu/gemm/gemm_tile.h"

namespace lutra {
namespace {

// A chunk of k and one panel of columns; pointers are to its start.
struct Panel {
  const float *a, *b, *bias;  // bias: null, or added with this chunk
  float* c;
  int64_t columns, k;
  bool adds, has_next;
};

template <int registers, Layout how> void multiply_panel(const MatMulSizes& s, const Panel& panel) {
  constexpr int64_t kWidth = registers * kPerRegister;
  alignas(64) float copy[kTileDepth * kWidth];
  alignas(64) float part[kTileRows * kWidth];
  const bool is_whole = panel.columns == kWidth;
  // Only for whole panels are there kernels that also copy or prefetch.
  const bool keeps = registers == 2 && is_whole && !s.transpose_b;
  if (!keeps) pack_panel(s, panel.b, 0, panel.k, 0, panel.columns, kWidth, copy);
  for (int64_t i = 0; i < s.m; i += kTileRows) {
    std::size_t rows = static_cast<std::size_t>(std::min<int64_t>(kTileRows, s.m - i));
    Tile tile{.a = panel.a + (how == Layout::Turned ? i : i * s.lda),
              .b = copy,
              .lda = s.lda,
              .ldb = kWidth,
              // A row of the next panel is two cache lines, of which a tile prefetches one.
              .ahead = panel.b + (panel.has_next ? kWidth : 0) + i / kTileRows * kPerRegister,
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
      kTileKernels<2, how, Beside::Keep>[rows - 1](tile);
    } else if (keeps && i == kTileRows && panel.has_next) {
      kTileKernels<2, how, Beside::Fetch>[rows - 1](tile);
    } else {
      kTileKernels<registers, how>[rows - 1](tile);
    }
    if (is_whole) continue;
    add_part(part, kWidth, static_cast<int64_t>(rows), panel.columns, panel.adds, panel.c + i * s.n, s.n, panel.bias);
  }
}

}  // namespace

void gemm_in_tiles(const MatMulSizes& s, const float* a, const float* b, const float* bias, float* c) {
  // Rows of a whose chunk of k stays in the L2 cache for all panels.
  constexpr int64_t kBlockRows = 256 / kTileRows * kTileRows;
  int64_t depth = tile_depth(s.k);
  double panel_cost = static_cast<double>(s.m) * static_cast<double>(s.k) * kTileColumns;
  int64_t grain = 1 + static_cast<int64_t>(kParallelProduct / (panel_cost + 1));
  auto multiply = [=](const MatMulSizes& block, int64_t i, int64_t p, int64_t j) {
    Panel panel{.a = a + (s.transpose_a ? p * s.lda + i : i * s.lda + p),
                .b = b + (s.transpose_b ? j * s.ldb + p : p * s.ldb + j),
                .bias = bias != nullptr && p + depth >= s.k ? bias + j : nullptr,
                .c = c + i * s.n + j,
                .columns = std::min<int64_t>(kTileColumns, s.n - j),
                .k = std::min(depth, s.k - p),
                .adds = p > 0,
                .has_next = j + kTileColumns < s.n};
    bool is_narrow = panel.columns <= kPerRegister;
    if (s.transpose_a) {
      is_narrow ? multiply_panel<1, Layout::Turned>(block, panel) : multiply_panel<2, Layout::Turned>(block, panel);
    } else {
      is_narrow ? multiply_panel<1, Layout::Plain>(block, panel) : multiply_panel<2, Layout::Plain>(block, panel);
    }
  };
  parallel_for((s.n + kTileColumns - 1) / kTileColumns, grain, [&](int64_t begin, int64_t end) {
    MatMulSizes block = s;
    for (int64_t i = 0; i < s.m; i += kBlockRows) {
      block.m = std::min(kBlockRows, s.m - i);
      for (int64_t p = 0; p < s.k; p += depth) {
        for (int64_t j = begin; j < end; ++j) multiply(block, i, p, j * kTileColumns);
      }
    }
  });
}

}  // namespace lutra
