// A tile of c, kTileRows rows of two registers each, stays in registers while k runs: each step loads two registers of
// b and multiplies them with one element of every row of a. Whoever calls sees to it that a and b are in a cache by
// then (gemm_tiles.cpp, gemm_blocks.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/cpu/muladd.h"
#include "kernels/cpu/strided.h"
#include "ops/matmul.h"

namespace lutra {

// Registers hold so many floats, and there are 32, 16 and 16 of them: kTileRows * 2 for c, two for b, one for a.
#if defined(__AVX512F__)
inline constexpr int kPerRegister = 16, kTileRows = 14;
#elif defined(__AVX__)
inline constexpr int kPerRegister = 8, kTileRows = 6;
#else
inline constexpr int kPerRegister = 4, kTileRows = 6;
#endif
inline constexpr int kTileColumns = 2 * kPerRegister;

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
  int64_t lda = 0, ldb = 0;
  float* copy = nullptr;  // of b, without gaps; where the kernel keeps one
  const float* ahead;     // fetched meanwhile, ahead_step further at every step of k
  int64_t ahead_step = 0;
  float* c = nullptr;
  int64_t ldc = 0, k;
  bool adds;                    // to what is in c
  const float* bias = nullptr;  // of the columns, added last
};

// How the rows of a lie: one after the other; as (k, m); as (k, kPitch), with room for whole squares of eight.
enum class Layout { Plain, Turned, Packed };
inline constexpr int64_t kPitch = (kTileRows + 7) / 8 * 8;

// A tile's sums, in registers. A step adds to row i what `at` says of it times the columns of b.
template <int rows, int registers> struct Sums {
  Register sum[rows][registers];

  template <class At> [[gnu::always_inline]] void add(const Register (&columns)[registers], const At& at) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Register x = splat(at(i));
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) sum[i][r] = muladd_each(x, columns[r], sum[i][r]);
    }
  }
  [[gnu::always_inline]] void write(float* c, int64_t ldc, bool adds) const {
    store(
        c, ldc, adds, [](int, Register value) __attribute__((always_inline)) { return value; });
  }
  // With bias added to every row.
  [[gnu::always_inline]] void write(float* c, int64_t ldc, bool adds, const float* bias) const {
    store(
        c, ldc, adds, [=](int r, Register value) __attribute__((always_inline)) {
          return value + load_register(bias + r * kPerRegister);
        });
  }

 private:
  template <class Last> [[gnu::always_inline]] void store(float* c, int64_t ldc, bool adds, const Last& last) const {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) {
        float* to = c + i * ldc + r * kPerRegister;
        store_register(last(r, adds ? load_register(to) + sum[i][r] : sum[i][r]), to);
      }
    }
  }
};

// Whole rows of registers. `keeps`: leaves a copy of b.
template <int rows, int registers, Layout how, bool keeps> void multiply_tile(const Tile& tile) {
  Sums<rows, registers> sums;
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) {
      sums.sum[i][r] = Register{};
      // Results are seldom in a cache when they are made: wanted at the end, they are asked for now.
      __builtin_prefetch(tile.c + i * tile.ldc + r * kPerRegister, 1);
    }
  }
  const float *a = tile.a, *b = tile.b, *ahead = tile.ahead;
  const int64_t row_step = how == Layout::Plain ? tile.lda : 1;
  const int64_t step = how == Layout::Plain ? 1 : how == Layout::Turned ? tile.lda : kPitch;
  const int64_t ldb = tile.ldb, ahead_step = tile.ahead_step, k = tile.k;
  float* copy = tile.copy;
  for (int64_t p = 0; p < k; ++p) {
    __builtin_prefetch(ahead, 0, 2);
    // From the second-level cache into the first.
    if constexpr (how == Layout::Packed) __builtin_prefetch(a + 16 * kPitch);
    Register columns[registers];
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) {
      columns[r] = load_register(b + r * kPerRegister);
      if constexpr (keeps) store_register(columns[r], copy + r * kPerRegister);
    }
    sums.add(
        columns, [&](int i) __attribute__((always_inline)) { return a[i * row_step]; });
    a += step;
    b += ldb;
    ahead += ahead_step;
    if constexpr (keeps) copy += registers * kPerRegister;
  }
  if (tile.bias != nullptr) sums.write(tile.c, tile.ldc, tile.adds, tile.bias);
  else sums.write(tile.c, tile.ldc, tile.adds);
}

using TileKernel = void (*)(const Tile& tile);

template <int registers, Layout how, bool keeps, int... rows>
constexpr std::array<TileKernel, kTileRows> tile_kernels(std::integer_sequence<int, rows...>) {
  return {multiply_tile<rows + 1, registers, how, keeps>...};
}
// By the number of rows, less one.
template <int registers, Layout how, bool keeps>
inline constexpr std::array<TileKernel, kTileRows> kTileKernels =
    tile_kernels<registers, how, keeps>(std::make_integer_sequence<int, kTileRows>{});

// Rows of a panel of b, which then takes two thirds of the first-level cache.
#if defined(__AVX512F__)
inline constexpr int64_t kTileDepth = 256;
#else
inline constexpr int64_t kTileDepth = 384;
#endif
// The pieces that k is cut into, of about equal length.
inline int64_t tile_depth(int64_t k) {
  int64_t pieces = (k + kTileDepth - 1) / kTileDepth;
  return (k + pieces - 1) / pieces;
}

// `columns` of b from (p, j) on without gaps, as (k, width): turned, or with zeros where there are fewer.
inline void pack_panel(const MatMulSizes& s, const float* b, int64_t p, int64_t k, int64_t j, int64_t columns,
                       int64_t width, float* to) {
  if (!s.transpose_b) {
    const float* from = b + p * s.ldb + j;
    if (columns == kTileColumns) {
      for (int64_t q = 0; q < k; ++q) {
        __builtin_prefetch(from + (q + 8) * s.ldb);
        store_register(load_register(from + q * s.ldb), to + q * kTileColumns);
        store_register(load_register(from + q * s.ldb + kPerRegister), to + q * kTileColumns + kPerRegister);
      }
      return;
    }
    for (int64_t q = 0; q < k; ++q) {
      std::copy_n(from + q * s.ldb, columns, to + q * width);
      std::fill(to + q * width + columns, to + (q + 1) * width, 0.0f);
    }
    return;
  }
  using Turned = TurnedSquare<uint32_t>;
  constexpr int64_t kSide = Turned::kSide;
  const float* lines = b + j * s.ldb + p;
  int64_t u = 0;
  for (; u + kSide <= columns; u += kSide) {
    const float* from = lines + u * s.ldb;
    int64_t q = 0;
    for (; q + kSide <= k; q += kSide) {
      Turned::turn(reinterpret_cast<const uint32_t*>(from + q), s.ldb, reinterpret_cast<uint32_t*>(to + q * width + u),
                   width);
    }
    for (; q < k; ++q) {
      for (int64_t v = 0; v < kSide; ++v) to[q * width + u + v] = from[v * s.ldb + q];
    }
  }
  for (; u < width; ++u) {
    for (int64_t q = 0; q < k; ++q) to[q * width + u] = u < columns ? lines[u * s.ldb + q] : 0.0f;
  }
}

// A tile that did not fit: part (rows, width) into c.
inline void add_part(const float* part, int64_t width, int64_t rows, int64_t columns, bool adds, float* c, int64_t ldc,
                     const float* bias = nullptr) {
  for (int64_t r = 0; r < rows; ++r) {
    float* to = c + r * ldc;
    const float* from = part + r * width;
    for (int64_t j = 0; j < columns; ++j) to[j] = adds ? to[j] + from[j] : from[j];
    if (bias == nullptr) continue;
    for (int64_t j = 0; j < columns; ++j) to[j] += bias[j];
  }
}

}  // namespace lutra
