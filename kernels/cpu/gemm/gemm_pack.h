// Packs parts of matrices contiguously in the order in which tiles read them (gemm_tile.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/gemm/gemm_tile.h"
#include "ops/matmul.h"

namespace lutra {

namespace detail {

// A stage of transposing a square: exchanges lanes between two registers `step` apart, in pairs of lanes `step` apart.
template <int step, int... lanes>
[[gnu::always_inline]] inline void exchange_lanes(Register& first, Register& second,
                                                  std::integer_sequence<int, lanes...>) {
  Register low = __builtin_shufflevector(first, second, ((lanes & step) ? kPerRegister + lanes - step : lanes)...);
  Register high = __builtin_shufflevector(first, second, ((lanes & step) ? kPerRegister + lanes : lanes + step)...);
  first = low;
  second = high;
}
template <int step> [[gnu::always_inline]] inline void exchange_stage(Register (&row)[kPerRegister]) {
  if constexpr (step < kPerRegister) {
#pragma GCC unroll 16
    for (int i = 0; i < kPerRegister; ++i) {
      if ((i & step) == 0) exchange_lanes<step>(row[i], row[i + step], std::make_integer_sequence<int, kPerRegister>{});
    }
    exchange_stage<2 * step>(row);
  }
}

}  // namespace detail

// to[j, i] = from[i, j] for a square of registers.
[[gnu::always_inline]] inline void turn_square(const float* from, int64_t from_step, float* to, int64_t to_step) {
  Register row[kPerRegister];
#pragma GCC unroll 16
  for (int i = 0; i < kPerRegister; ++i) row[i] = load_register(from + i * from_step);
  detail::exchange_stage<1>(row);
#pragma GCC unroll 16
  for (int i = 0; i < kPerRegister; ++i) store_register(row[i], to + i * to_step);
}

// Packs `columns` of b from (p, j) on without gaps, as (k, width), with zeros where there are fewer. A transposed b is
// transposed on the way.
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
  const float* lines = b + j * s.ldb + p;
  int64_t u = 0;
  for (; u + kPerRegister <= columns; u += kPerRegister) {
    const float* from = lines + u * s.ldb;
    int64_t q = 0;
    for (; q + kPerRegister <= k; q += kPerRegister) {
      turn_square(from + q, s.ldb, to + q * width + u, width);
    }
    for (; q < k; ++q) {
      for (int64_t v = 0; v < kPerRegister; ++v) to[q * width + u + v] = from[v * s.ldb + q];
    }
  }
  for (; u < width; ++u) {
    for (int64_t q = 0; q < k; ++q) to[q * width + u] = u < columns ? lines[u * s.ldb + q] : 0.0f;
  }
}

}  // namespace lutra
