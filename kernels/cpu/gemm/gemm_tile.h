// A tile of c, kTileRows rows of two registers each, stays in registers during the loop over k. Each step loads two
// registers of b and multiplies them by one element of every row of a. Callers ensure that a and b are in a cache by
// then (gemm_tiles.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/cpu/loops/instructions.h"
#include "ops/matmul.h"

namespace lutra {

// Rows of a tile. There are 32, 16 and 16 registers: kTileRows * 2 for c, two for b, one for a.
inline constexpr int kTileRows = kRegisterBytes == 64 ? 14 : 6;
template <class T> inline constexpr int kTileColumns = 2 * kInRegister<T>;

// Hides from the compiler what x was computed from. Otherwise it keeps the addresses of all rows of c from one use to
// the next, in general registers that the loop between needs.
template <class T> [[gnu::always_inline]] inline T forgotten(T x) {
  asm("" : "+r"(x));
  return x;
}

template <class T> struct Tile {
  const T *a, *b;
  int64_t lda = 0, ldb = 0;
  // For `Beside`: rows from `ahead` on, ahead_step apart, and where the copy of b goes.
  const T* ahead = nullptr;
  int64_t ahead_step = 0;
  T* copy = nullptr;
  T* c = nullptr;
  int64_t ldc = 0, k;
  bool adds;                // to what is in c
  const T* bias = nullptr;  // of the columns, added last
};

// What a kernel does besides its sums. Fetch prefetches one row of the next panel of b at every step of k; Keep also
// copies b without gaps.
enum class Beside { Nothing, Fetch, Keep };

// The layout of a: row by row; or transposed, (k, m).
enum class Layout { Plain, Turned };

// A tile's sums, in registers. A step adds at(i) times the columns of b to row i.
template <class T, int rows, int registers> struct Sums {
  using Register = RegisterOf<T>;
  Register sum[rows][registers];

  template <class At> [[gnu::always_inline]] void add(const Register (&columns)[registers], const At& at) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Register x = all_lanes(at(i));
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) sum[i][r] = muladd_lanes(x, columns[r], sum[i][r]);
    }
  }
  [[gnu::always_inline]] void write(T* c, int64_t ldc, bool adds) const {
    store(
        c, ldc, adds, [](int, Register value) __attribute__((always_inline)) { return value; });
  }
  // With bias added to every row.
  [[gnu::always_inline]] void write(T* c, int64_t ldc, bool adds, const T* bias) const {
    store(
        c, ldc, adds, [=](int r, Register value) __attribute__((always_inline)) {
          return value + load_register(bias + r * kInRegister<T>);
        });
  }

 private:
  template <class Last> [[gnu::always_inline]] void store(T* c, int64_t ldc, bool adds, const Last& last) const {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) {
        T* to = c + i * ldc + r * kInRegister<T>;
        store_register(last(r, adds ? load_register(to) + sum[i][r] : sum[i][r]), to);
      }
    }
  }
};

template <bool keeps, class T, int rows, int registers>
[[gnu::always_inline]] inline void add_step(Sums<T, rows, registers>& sums, const T* a, int64_t row_step, const T* b,
                                            T* copy) {
  RegisterOf<T> columns[registers];
#pragma GCC unroll 2
  for (int r = 0; r < registers; ++r) {
    columns[r] = load_register(b + r * kInRegister<T>);
    if constexpr (keeps) store_register(columns[r], copy + r * kInRegister<T>);
  }
  sums.add(
      columns, [&](int i) __attribute__((always_inline)) { return a[i * row_step]; });
}

// Prefetches a row for writing.
template <int registers, class T> [[gnu::always_inline]] inline void ask_for_row(const T* row) {
#pragma GCC unroll 2
  for (int r = 0; r < registers; ++r) __builtin_prefetch(row + r * kInRegister<T>, 1);
}

// From this depth on, the rows of c are prefetched one after the other.
inline constexpr int64_t kLongTile = 192;

// Whole rows of registers.
template <class T, int rows, int registers, Layout how, Beside beside> void multiply_tile(const Tile<T>& tile) {
  constexpr bool kKeeps = beside == Beside::Keep, kFetches = kKeeps || beside == Beside::Fetch;
  Sums<T, rows, registers> sums;
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) sums.sum[i][r] = RegisterOf<T>{};
  }
  const T *a = tile.a, *b = tile.b, *ahead = tile.ahead;
  const int64_t row_step = how == Layout::Plain ? tile.lda : 1;
  const int64_t step = how == Layout::Plain ? 1 : tile.lda;
  const int64_t ldb = tile.ldb, ahead_step = tile.ahead_step, k = tile.k;
  T* copy = tile.copy;
  // The rows of c are seldom in a cache. They are needed at the end and prefetched before; where k is long, one after
  // the other, since a processor has only a few loads in flight at a time.
  const T* result = tile.c;
  const int64_t result_step = tile.ldc;
  const bool is_long = k >= kLongTile;
  const int64_t piece = is_long ? k / 2 / rows + 1 : k / 2;
  if (!is_long) {
#pragma GCC unroll 1
    for (int i = 0; i < rows; ++i) ask_for_row<registers>(result + i * result_step);
  }
  for (int64_t left = k / 2; left > 0;) {
    if (is_long) {
      ask_for_row<registers>(result);
      result += result_step;
    }
    int64_t pairs = std::min(piece, left);
    left -= pairs;
    for (; pairs > 0; --pairs) {
#pragma GCC unroll 2
      for (int u = 0; u < 2; ++u) {
        if constexpr (kFetches) {
          __builtin_prefetch(ahead, 0, 2);
          ahead += ahead_step;
        }
        add_step<kKeeps>(sums, a, row_step, b, copy);
        a += step;
        b += ldb;
        if constexpr (kKeeps) copy += registers * kInRegister<T>;
      }
    }
  }
  if (k % 2 == 1) add_step<kKeeps>(sums, a, row_step, b, copy);
  T* c = tile.c;
  const int64_t ldc = forgotten(tile.ldc);
  if (tile.bias != nullptr) sums.write(c, ldc, tile.adds, tile.bias);
  else sums.write(c, ldc, tile.adds);
}

template <class T> using TileKernel = void (*)(const Tile<T>& tile);

template <class T, int registers, Layout how, Beside beside, int... rows>
constexpr std::array<TileKernel<T>, kTileRows> tile_kernels(std::integer_sequence<int, rows...>) {
  return {multiply_tile<T, rows + 1, registers, how, beside>...};
}
// Indexed by the number of rows, less one.
template <class T, int registers, Layout how, Beside beside = Beside::Nothing>
inline constexpr std::array<TileKernel<T>, kTileRows> kTileKernels =
    tile_kernels<T, registers, how, beside>(std::make_integer_sequence<int, kTileRows>{});

// Rows of a panel of b. A panel takes 24 KB with AVX2, two thirds of an L1 cache, and 48 KB with AVX-512, where a tile
// is as fast with a panel from the L2 cache.
inline constexpr int64_t kTileDepth = 384;
// The depth of the chunks that k is cut into, all about as deep.
inline int64_t tile_depth(int64_t k) {
  int64_t pieces = (k + kTileDepth - 1) / kTileDepth;
  return (k + pieces - 1) / pieces;
}

// Writes or adds to c a tile that does not fit and was computed in `part` (rows, width).
template <class T>
void add_part(const T* part, int64_t width, int64_t rows, int64_t columns, bool adds, T* c, int64_t ldc,
              const T* bias = nullptr) {
  for (int64_t r = 0; r < rows; ++r) {
    T* to = c + r * ldc;
    const T* from = part + r * width;
    for (int64_t j = 0; j < columns; ++j) to[j] = adds ? to[j] + from[j] : from[j];
    if (bias == nullptr) continue;
    for (int64_t j = 0; j < columns; ++j) to[j] += bias[j];
  }
}

}  // namespace lutra
