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
template <int step, class Register, int... lanes>
[[gnu::always_inline]] inline void exchange_lanes(Register& first, Register& second,
                                                  std::integer_sequence<int, lanes...>) {
  constexpr int kLanes = sizeof...(lanes);
  Register low = __builtin_shufflevector(first, second, ((lanes & step) ? kLanes + lanes - step : lanes)...);
  Register high = __builtin_shufflevector(first, second, ((lanes & step) ? kLanes + lanes : lanes + step)...);
  first = low;
  second = high;
}
template <int step, class Register, int lanes>
[[gnu::always_inline]] inline void exchange_stage(Register (&row)[lanes]) {
  if constexpr (step < lanes) {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) {
      if ((i & step) == 0) exchange_lanes<step>(row[i], row[i + step], std::make_integer_sequence<int, lanes>{});
    }
    exchange_stage<2 * step>(row);
  }
}

}  // namespace detail

// to[j, i] = from[i, j] for a square of registers.
template <class T>
[[gnu::always_inline]] inline void turn_square(const T* from, int64_t from_step, T* to, int64_t to_step) {
  RegisterOf<T> row[kInRegister<T>];
#pragma GCC unroll 16
  for (int i = 0; i < kInRegister<T>; ++i) row[i] = load_register(from + i * from_step);
  detail::exchange_stage<1>(row);
#pragma GCC unroll 16
  for (int i = 0; i < kInRegister<T>; ++i) store_register(row[i], to + i * to_step);
}

// Packs `columns` of b from (p, j) on without gaps, as (k, width), with zeros where there are fewer. A transposed b is
// transposed on the way.
template <class T>
void pack_panel(const MatMulSizes& s, const T* b, int64_t p, int64_t k, int64_t j, int64_t columns, int64_t width,
                T* to) {
  constexpr int64_t kEach = kInRegister<T>;
  if (!s.transpose_b) {
    const T* from = b + p * s.ldb + j;
    if (columns == kTileColumns<T>) {
      for (int64_t q = 0; q < k; ++q) {
        __builtin_prefetch(from + (q + 8) * s.ldb);
        store_register(load_register(from + q * s.ldb), to + q * kTileColumns<T>);
        store_register(load_register(from + q * s.ldb + kEach), to + q * kTileColumns<T> + kEach);
      }
      return;
    }
    for (int64_t q = 0; q < k; ++q) {
      std::copy_n(from + q * s.ldb, columns, to + q * width);
      std::fill(to + q * width + columns, to + (q + 1) * width, T(0));
    }
    return;
  }
  const T* lines = b + j * s.ldb + p;
  int64_t u = 0;
  for (; u + kEach <= columns; u += kEach) {
    const T* from = lines + u * s.ldb;
    int64_t q = 0;
    for (; q + kEach <= k; q += kEach) {
      turn_square(from + q, s.ldb, to + q * width + u, width);
    }
    for (; q < k; ++q) {
      for (int64_t v = 0; v < kEach; ++v) to[q * width + u + v] = from[v * s.ldb + q];
    }
  }
  for (; u < width; ++u) {
    for (int64_t q = 0; q < k; ++q) to[q * width + u] = u < columns ? lines[u * s.ldb + q] : T(0);
  }
}

}  // namespace lutra
