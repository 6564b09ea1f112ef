// Note [A tile and a panel]
// A tile of c, kRows rows of two registers each, stays in registers while k runs: each step loads two registers of b
// and multiplies them with one element of every row of a. Those columns of b, a panel, are worked on for all rows of c.
// The first tile reads b where it lies and leaves a copy without gaps, which the others find in the first-level cache
// whatever b's stride is; meanwhile the next panel is asked for. `a` is read where it lies: it is touched once a row
// and a step.
#include "kernels/cpu/gemm_tiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/parallel.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/muladd.h"
#include "kernels/cpu/strided.h"

namespace lutra {
namespace {

// Registers hold so many floats, and there are 32, 16 and 16 of them: kRows * 2 for c, two for b, one for a.
#if defined(__AVX512F__)
constexpr int kPerRegister = 16, kRows = 14;
#elif defined(__AVX__)
constexpr int kPerRegister = 8, kRows = 6;
#else
constexpr int kPerRegister = 4, kRows = 6;
#endif
constexpr int kColumns = 2 * kPerRegister;

// A panel of so many rows of b takes two thirds of the first-level cache.
constexpr int64_t kDepth = 256;

using Register = float __attribute__((vector_size(4 * kPerRegister)));

[[gnu::always_inline]] inline Register load_register(const float* from) {
  Register loaded;
  std::memcpy(&loaded, from, sizeof loaded);
  return loaded;
}
[[gnu::always_inline]] inline void store_register(Register value, float* to) { std::memcpy(to, &value, sizeof value); }
[[gnu::always_inline]] inline Register splat(float x) {
  Register all;
  for (int i = 0; i < kPerRegister; ++i) all[i] = x;
  return all;
}
[[gnu::always_inline]] inline Register muladd_each(Register a, Register b, Register c) {
  Register sum;
  for (int i = 0; i < kPerRegister; ++i) sum[i] = muladd(a[i], b[i], c[i]);
  return sum;
}

struct Tile {
  const float *a, *b;
  int64_t lda, ldb;
  float* copy;         // of b, without gaps; where the kernel keeps one
  const float* ahead;  // fetched meanwhile, ahead_step further at every step of k
  int64_t ahead_step;
  float* c;
  int64_t ldc, k;
  bool adds;  // to what is in c
};

// Whole rows of registers; `turned`: a lies as (k, m).
template <int rows, int registers, bool turned, bool keeps> void multiply_tile(const Tile& tile) {
  Register sum[rows][registers];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) {
      sum[i][r] = Register{};
      // Results are seldom in a cache when they are made: wanted at the end, they are asked for now.
      __builtin_prefetch(tile.c + i * tile.ldc + r * kPerRegister, 1);
    }
  }
  const float *a = tile.a, *b = tile.b, *ahead = tile.ahead;
  const int64_t row_step = turned ? 1 : tile.lda, step = turned ? tile.lda : 1;
  const int64_t ldb = tile.ldb, ahead_step = tile.ahead_step, k = tile.k;
  float* copy = tile.copy;
  for (int64_t p = 0; p < k; ++p) {
    __builtin_prefetch(ahead, 0, 2);
    Register columns[registers];
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) {
      columns[r] = load_register(b + r * kPerRegister);
      if constexpr (keeps) store_register(columns[r], copy + r * kPerRegister);
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Register x = splat(a[i * row_step]);
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) sum[i][r] = muladd_each(x, columns[r], sum[i][r]);
    }
    a += step;
    b += ldb;
    ahead += ahead_step;
    if constexpr (keeps) copy += registers * kPerRegister;
  }
  float* c = tile.c;
  const int64_t ldc = tile.ldc;
  const bool adds = tile.adds;
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) {
      float* to = c + i * ldc + r * kPerRegister;
      store_register(adds ? load_register(to) + sum[i][r] : sum[i][r], to);
    }
  }
}

using TileKernel = void (*)(const Tile& tile);

template <int registers, bool turned, bool keeps, int... rows>
constexpr std::array<TileKernel, kRows> tile_kernels(std::integer_sequence<int, rows...>) {
  return {multiply_tile<rows + 1, registers, turned, keeps>...};
}
// By the number of rows, less one.
template <int registers, bool turned, bool keeps>
constexpr std::array<TileKernel, kRows> kTileKernels =
    tile_kernels<registers, turned, keeps>(std::make_integer_sequence<int, kRows>{});

// A part of k and one panel of columns: everything from there on.
struct Panel {
  const float *a, *b;
  float* c;
  int64_t columns, k;
  bool adds, has_next;
};

// The panel's columns of b without gaps, as (k, width): turned, or with zeros where there are fewer.
void pack_panel(const MatMulSizes& s, const Panel& panel, int64_t width, float* to) {
  if (!s.transpose_b) {
    for (int64_t p = 0; p < panel.k; ++p) {
      std::copy_n(panel.b + p * s.ldb, panel.columns, to + p * width);
      std::fill(to + p * width + panel.columns, to + (p + 1) * width, 0.0f);
    }
    return;
  }
  using Turned = TurnedSquare<uint32_t>;
  constexpr int64_t kSide = Turned::kSide;
  int64_t j = 0;
  for (; j + kSide <= panel.columns; j += kSide) {
    const float* from = panel.b + j * s.ldb;
    int64_t p = 0;
    for (; p + kSide <= panel.k; p += kSide) {
      Turned::turn(reinterpret_cast<const uint32_t*>(from + p), s.ldb, reinterpret_cast<uint32_t*>(to + p * width + j),
                   width);
    }
    for (; p < panel.k; ++p) {
      for (int64_t u = 0; u < kSide; ++u) to[p * width + j + u] = from[u * s.ldb + p];
    }
  }
  for (; j < width; ++j) {
    for (int64_t p = 0; p < panel.k; ++p) to[p * width + j] = j < panel.columns ? panel.b[j * s.ldb + p] : 0.0f;
  }
}

template <int registers, bool turned> void multiply_panel(const MatMulSizes& s, const Panel& panel) {
  constexpr int64_t kWidth = registers * kPerRegister;
  alignas(64) float copy[kDepth * kWidth];
  alignas(64) float part[kRows * kWidth];
  const bool is_whole = panel.columns == kWidth, keeps = is_whole && !s.transpose_b;
  if (!keeps) pack_panel(s, panel, kWidth, copy);
  for (int64_t i = 0; i < s.m; i += kRows) {
    std::size_t rows = static_cast<std::size_t>(std::min<int64_t>(kRows, s.m - i));
    Tile tile{.a = panel.a + (turned ? i : i * s.lda),
              .b = copy,
              .lda = s.lda,
              .ldb = kWidth,
              .copy = copy,
              .ahead = copy,
              .ahead_step = 0,
              .c = panel.c + i * s.n,
              .ldc = s.n,
              .k = panel.k,
              .adds = panel.adds};
    // Rows of the next panel are two lines of the cache, or one: a tile fetches one of them.
    if (keeps && panel.has_next && i < kRows * 2) {
      tile.ahead = panel.b + kWidth + i / kRows * kPerRegister;
      tile.ahead_step = s.ldb;
    }
    if (!is_whole) {
      tile.c = part;
      tile.ldc = kWidth;
      tile.adds = false;
    }
    if (keeps && i == 0) {
      tile.b = panel.b;
      tile.ldb = s.ldb;
      kTileKernels<registers, turned, true>[rows - 1](tile);
    } else {
      kTileKernels<registers, turned, false>[rows - 1](tile);
    }
    if (is_whole) continue;
    for (std::size_t r = 0; r < rows; ++r) {
      float* to = panel.c + (i + static_cast<int64_t>(r)) * s.n;
      const float* from = part + r * kWidth;
      for (int64_t j = 0; j < panel.columns; ++j) to[j] = panel.adds ? to[j] + from[j] : from[j];
    }
  }
}

}  // namespace

void gemm_in_tiles(const MatMulSizes& s, const float* a, const float* b, float* c) {
  int64_t pieces = (s.k + kDepth - 1) / kDepth, depth = (s.k + pieces - 1) / pieces;
  double panel_cost = static_cast<double>(s.m) * static_cast<double>(s.k) * kColumns;
  int64_t grain = 1 + static_cast<int64_t>(kParallelProduct / (panel_cost + 1));
  parallel_for((s.n + kColumns - 1) / kColumns, grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = 0; p < s.k; p += depth) {
      for (int64_t j = begin * kColumns; j < std::min(s.n, end * kColumns); j += kColumns) {
        Panel panel{.a = a + (s.transpose_a ? p * s.lda : p),
                    .b = b + (s.transpose_b ? j * s.ldb + p : p * s.ldb + j),
                    .c = c + j,
                    .columns = std::min<int64_t>(kColumns, s.n - j),
                    .k = std::min(depth, s.k - p),
                    .adds = p > 0,
                    .has_next = j + kColumns < s.n};
        bool is_narrow = panel.columns <= kPerRegister;
        if (s.transpose_a) is_narrow ? multiply_panel<1, true>(s, panel) : multiply_panel<2, true>(s, panel);
        else is_narrow ? multiply_panel<1, false>(s, panel) : multiply_panel<2, false>(s, panel);
      }
    }
  });
}

}  // namespace lutra
