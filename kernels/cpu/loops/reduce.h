// Reductions as fixed trees, so that results do not depend on the number of threads. Elements are reduced in blocks of
// 1,024 along the reduced axis, within a block in runs of at most 32; the blocks' results are merged in pairs. Here is
// one axis; reduce_axes.h reduces any axes and makes kernels of it. Reducers are in kernels/element/reducers.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/reducers.h"
#include "ops/axes.h"

namespace lutra {

inline constexpr int64_t kBlock = 1024;
inline constexpr int64_t kLanes = kBlock / kRun;
inline constexpr int64_t kStep = 8 * kLanes;  // elements that join the lanes in one step
inline constexpr int64_t kTile = 512;         // columns reduced side by side

template <class R> inline constexpr bool kIsFloatExtreme = false;
template <class T, bool kMost>
inline constexpr bool kIsFloatExtreme<ExtremeOf<T, kMost>> = ExtremeOf<T, kMost>::kHasNan;

// Joins four or eight elements, `stride` apart, in pairs: this rounds less often than a sequence, and the pairs are
// independent. Eight elements give the same as four joined with the next four.
template <class R, int64_t kCount>
[[gnu::always_inline]] inline typename R::Run join_pairs(const typename R::In* x, int64_t stride) {
  constexpr bool kEight = kCount == 8;
  static_assert(kEight || kCount == 4);
  if constexpr (kIsFloatExtreme<R>) {
    // One comparison of two elements shows whether either is nan; which one is picked then does not matter.
    auto pair = [=](int64_t i) { return R::pick(R::open(x[i * stride]), R::open(x[(i + 1) * stride])); };
    auto nan_in = [=](int64_t i) { return __builtin_isunordered(x[i * stride], x[(i + 1) * stride]); };
    constexpr auto nan = std::numeric_limits<typename R::Run>::quiet_NaN();
    if constexpr (kEight) {
      auto best = R::pick(R::pick(pair(0), pair(2)), R::pick(pair(4), pair(6)));
      bool any_nan = (nan_in(0) | nan_in(2)) | (nan_in(4) | nan_in(6));
      return any_nan ? nan : best;
    } else {
      auto best = R::pick(pair(0), pair(2));
      return nan_in(0) | nan_in(2) ? nan : best;
    }
  } else {
    auto pair = [=](int64_t i) { return R::join(R::open(x[i * stride]), R::open(x[(i + 1) * stride])); };
    auto four = R::join(pair(0), pair(2));
    if constexpr (kEight) return R::join(four, R::join(pair(4), pair(6)));
    else return four;
  }
}

// Merges 2 * half lanes in pairs, each with the lane `half` further on, down to one. The n elements left over are fewer
// than the lanes: `half` of them join wherever n has that bit set, so that all steps work on whole registers.
template <class R, int64_t half, bool kHasRest>
[[gnu::always_inline]] inline void fold_lanes(typename R::Acc* lanes, const typename R::In* x, int64_t n) {
  for (int64_t l = 0; l < half; ++l) lanes[l] = R::merge(lanes[l], lanes[l + half]);
  if (kHasRest && (n & half) != 0) {
    for (int64_t l = 0; l < half; ++l) lanes[l] = R::merge(lanes[l], R::lift(R::open(x[l])));
    x += half;
  }
  if constexpr (half > 1) fold_lanes<R, half / 2, kHasRest>(lanes, x, n);
}

// For floats that a reducer accumulates in double: loads a register of doubles at a time. By itself the compiler loads
// registers of floats, and must then move their upper halves down. R's open_lanes is its `open` for registers.
#if defined(__AVX512F__)
inline constexpr int64_t kWideLanes = 8;
#elif defined(__AVX__)
inline constexpr int64_t kWideLanes = 4;
#else
inline constexpr int64_t kWideLanes = 2;
#endif
using WideRegister = double __attribute__((vector_size(8 * kWideLanes)));

// Spelled out, since this compiles to the one instruction that reads floats as doubles.
[[gnu::always_inline]] inline WideRegister widened(const float* x) {
#if defined(__AVX512F__)
  return WideRegister{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
#elif defined(__AVX__)
  return WideRegister{x[0], x[1], x[2], x[3]};
#else
  return WideRegister{x[0], x[1]};
#endif
}

template <class R>
concept Widening = std::is_same_v<typename R::In, float> && std::is_same_v<typename R::Run, double> &&
    requires(WideRegister w) {
  R::open_lanes(w);
};

// Joins the n elements from x on, a multiple of kLanes, to 32 lanes.
template <class R> [[gnu::always_inline]] inline void widen_runs(const float* x, int64_t n, double* lanes) {
  constexpr int64_t kRegisters = kLanes / kWideLanes;
  auto load = [](const float* at) __attribute__((always_inline)) { return R::open_lanes(widened(at)); };
  WideRegister sums[kRegisters];
  std::memcpy(sums, lanes, sizeof sums);
  int64_t done = 0;
  for (; done + kStep <= n; done += kStep) {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRegisters; ++r) {
      const float* at = x + done + r * kWideLanes;
      auto pair = [=](int64_t i) __attribute__((always_inline)) {
        return R::join_lanes(load(at + i * kLanes), load(at + (i + 1) * kLanes));
      };
      sums[r] = R::join_lanes(sums[r], R::join_lanes(R::join_lanes(pair(0), pair(2)), R::join_lanes(pair(4), pair(6))));
    }
  }
  for (; done + kLanes <= n; done += kLanes) {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRegisters; ++r) sums[r] = R::join_lanes(sums[r], load(x + done + r * kWideLanes));
  }
  std::memcpy(lanes, sums, sizeof sums);
}

// Joins the whole runs among the n elements from x on; returns the number of elements in them.
template <class R>
[[gnu::always_inline]] inline int64_t join_runs(const typename R::In* x, int64_t n, typename R::Run* lanes) {
  int64_t done = 0;
  if constexpr (Widening<R>) {
    done = n / kLanes * kLanes;
    widen_runs<R>(x, done, lanes);
  } else {
    for (; done + kStep <= n; done += kStep) {
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] = R::join(lanes[l], join_pairs<R, 8>(x + done + l, kLanes));
    }
    for (; done + kLanes <= n; done += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] = R::join(lanes[l], R::open(x[done + l]));
    }
  }
  return done;
}

// Merges the lanes in pairs, together with the n elements from x on that do not fill a run.
template <class R>
[[gnu::always_inline]] inline typename R::Acc close_lanes(const typename R::Run* lanes, const typename R::In* x,
                                                          int64_t n) {
  typename R::Acc pairs[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) pairs[l] = R::lift(lanes[l]);
  if (n == 0) fold_lanes<R, kLanes / 2, false>(pairs, nullptr, 0);  // as in whole blocks: no branches
  else fold_lanes<R, kLanes / 2, true>(pairs, x, n);
  return pairs[0];
}

// Prefetches the n elements from x on.
template <class T> [[gnu::always_inline]] inline void ask_for(const T* x, int64_t n) {
  const char* lines = reinterpret_cast<const char*>(x);
  for (int64_t at = 0; at < n * static_cast<int64_t>(sizeof(T)); at += 64) __builtin_prefetch(lines + at);
}

// Reduces n <= kBlock neighbouring elements to 32 lanes, then the lanes in pairs. Prefetches `behind` more elements
// before the lanes are merged: otherwise no loads would be in flight meanwhile.
template <class R>
[[gnu::always_inline]] inline typename R::Acc reduce_block(const typename R::In* x, int64_t n, int64_t behind = 0) {
  if (n < kLanes) {
    typename R::Acc result = R::lift(R::kStart);
    for (int64_t i = 0; i < n; ++i) result = R::merge(result, R::lift(R::open(x[i])));
    return result;
  }
  typename R::Run lanes[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) lanes[l] = R::kStart;
  const int64_t done = join_runs<R>(x, n, lanes);
  ask_for(x + n, behind);
  return close_lanes<R>(lanes, x + done, n - done);
}

// Reduces `rows` <= kBlock rows of `columns` <= kTile elements, `stride` apart: one result per column.
template <class R>
[[gnu::always_inline]] inline void reduce_columns(const typename R::In* x, int64_t rows, int64_t stride,
                                                  int64_t columns, typename R::Acc* __restrict result) {
  typename R::Run run[kTile];
  for (int64_t k = 0; k < columns; ++k) result[k] = R::lift(R::kStart);
  for (int64_t first = 0; first < rows; first += kRun) {
    int64_t end = std::min(rows, first + kRun), r = first;
    for (int64_t k = 0; k < columns; ++k) run[k] = R::kStart;
    for (; r + 8 <= end; r += 8) {
      const typename R::In* rows_of_eight = x + r * stride;
      for (int64_t k = 0; k < columns; ++k) run[k] = R::join(run[k], join_pairs<R, 8>(rows_of_eight + k, stride));
    }
    for (; r < end; ++r) {
      for (int64_t k = 0; k < columns; ++k) run[k] = R::join(run[k], R::open(x[r * stride + k]));
    }
    for (int64_t k = 0; k < columns; ++k) result[k] = R::merge(result[k], R::lift(run[k]));
  }
}

// The functions below are static: linkers merge badly what is compiled in several versions.

// reduce_block as a function of its own: inlined into a loop over blocks, or beside other loops over a row, it compiles
// to slower code (the largest of 1e5 elements took a third longer, a softmax of rows of 40 twice as long). kCount makes
// n a constant, which saves up to a fifth of a whole block's time if the block is in a cache.
template <class R, int64_t kCount = 0>
[[gnu::noinline]] static typename R::Acc reduce_part(const typename R::In* x, int64_t n, int64_t behind = 0) {
  return reduce_block<R>(x, kCount > 0 ? kCount : n, behind);
}

// For data beyond the caches: a core of Zen 3 gets half as much again when it reads in four places instead of one. A
// core of Zen 5 gets a third less; it gets most when it prefetches in one place.
#if defined(__AVX512F__)
inline constexpr bool kManyPlaces = false;
#else
inline constexpr bool kManyPlaces = true;
#endif
// Not where elements are widened: their lanes already fill the registers.
template <class R> inline constexpr bool kReadsApart = kManyPlaces && !Widening<R>;

// Reduces four blocks that begin `apart` elements from each other: a few runs of each in turn, in reduce_block's order.
template <class R>
[[gnu::noinline]] static void reduce_apart(const typename R::In* x, int64_t apart, typename R::Acc* result,
                                           int64_t results_apart) {
  constexpr int kRows = 4;
  static_assert(kBlock % kStep == 0);
  typename R::Run lanes[kRows][kLanes], half[kRows][kLanes];
  for (auto& row : lanes) std::fill(row, row + kLanes, R::kStart);
  for (int64_t done = 0; done < kBlock; done += kStep) {
    for (int r = 0; r < kRows; ++r) {
      const typename R::In* from = x + r * apart + done;
      for (int64_t l = 0; l < kLanes; ++l) half[r][l] = join_pairs<R, 4>(from + l, kLanes);
    }
    for (int r = 0; r < kRows; ++r) {
      const typename R::In* from = x + r * apart + done + kStep / 2;
      for (int64_t l = 0; l < kLanes; ++l) {
        lanes[r][l] = R::join(lanes[r][l], R::join(half[r][l], join_pairs<R, 4>(from + l, kLanes)));
      }
    }
  }
  for (int r = 0; r < kRows; ++r) result[r * results_apart] = close_lanes<R>(lanes[r], nullptr, 0);
}

// Reduces `count` contiguous rows of n <= kBlock elements. `far`: they come from memory, not from a cache.
template <class R>
static void reduce_rows(const typename R::In* x, int64_t count, int64_t n, typename R::Acc* result, bool far = false) {
  int64_t row = 0;
  for (; n < kLanes && row + 8 <= count; row += 8) {
    // Short rows: eight at a time, each in its own order, to hide the latency of additions.
    typename R::Acc side[8];
    for (int64_t j = 0; j < 8; ++j) side[j] = R::lift(R::kStart);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < 8; ++j) side[j] = R::merge(side[j], R::lift(R::open(x[(row + j) * n + i])));
    }
    for (int64_t j = 0; j < 8; ++j) result[row + j] = side[j];
  }
  if constexpr (kReadsApart<R>) {
    const int64_t apart = far && n == kBlock ? count / 4 : 0;
    for (int64_t i = 0; i < apart; ++i) reduce_apart<R>(x + i * n, apart * n, result + i, apart);
    row += 4 * apart;
  }
  for (; n == kBlock && !far && row < count; ++row) result[row] = reduce_part<R, kBlock>(x + row * kBlock, kBlock);
  for (; row < count; ++row) result[row] = reduce_part<R>(x + row * n, n, far ? n : 0);
}

template <class R>
static void reduce_tile(const typename R::In* x, int64_t rows, int64_t stride, int64_t columns,
                        typename R::Acc* result) {
  reduce_columns<R>(x, rows, stride, columns, result);
}

// A few columns would leave vector registers half empty: several rows are read as one wide row, and merged at the end.
template <class R>
static void reduce_narrow(const typename R::In* x, int64_t rows, int64_t columns, typename R::Acc* result) {
  int64_t together = 1;
  while (together * columns < kLanes && 2 * together <= rows) together *= 2;
  typename R::Acc wide[2 * kLanes];
  reduce_tile<R>(x, rows / together, together * columns, together * columns, wide);
  for (int64_t half = together / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half * columns; ++k) wide[k] = R::merge(wide[k], wide[k + half * columns]);
  }
  for (int64_t r = rows / together * together; r < rows; ++r) {
    for (int64_t k = 0; k < columns; ++k) wide[k] = R::merge(wide[k], R::lift(R::open(x[r * columns + k])));
  }
  std::copy(wide, wide + columns, result);
}

// How many blocks the reduced axis is cut into.
inline int64_t blocks_of(const Extent& extent) { return (extent.size + kBlock - 1) / kBlock; }
// How many results of blocks must be kept until they are merged.
inline int64_t partials_of(const Extent& extent) {
  return blocks_of(extent) > 1 ? extent.lines() * blocks_of(extent) : 0;
}

// Calls each(o, block, column, columns) for every tile of every block, in parallel.
template <class Each> void for_tiles(const Extent& extent, const Each& each) {
  int64_t tiles = (extent.inner + kTile - 1) / kTile, blocks = blocks_of(extent);
  int64_t work = std::min(extent.size, kBlock) * std::min(extent.inner, kTile);
  parallel_for(extent.outer * blocks * tiles, row_grain(kCheapGrain, work), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t column = item % tiles * kTile;
      each(item / tiles / blocks, item / tiles % blocks, column, std::min(kTile, extent.inner - column));
    }
  });
}

// Merges a row's block results, which are contiguous, in pairs of neighbours. The result is then in the first.
template <class R> inline void merge_row(typename R::Acc* partials, int64_t blocks) {
  for (; blocks > 1; blocks = (blocks + 1) / 2) {
    for (int64_t pair = 0; pair < blocks / 2; ++pair) {
      partials[pair] = R::merge(partials[2 * pair], partials[2 * pair + 1]);
    }
    if (blocks % 2 != 0) partials[blocks / 2] = partials[blocks - 1];
  }
}

// The same for each result of `partials`, which is [outer, blocks, inner].
template <class R> void merge_blocks(const Extent& extent, typename R::Acc* partials) {
  int64_t blocks = blocks_of(extent), inner = extent.inner;
  parallel_for(extent.lines(), row_grain(kCheapGrain, blocks), [=](int64_t begin, int64_t end) {
    if (inner == 1) {
      for (; begin < end; ++begin) merge_row<R>(partials + begin * blocks, blocks);
      return;
    }
    while (begin < end) {
      int64_t k = begin % inner, n = std::min(inner - k, end - begin);
      typename R::Acc* first = partials + begin / inner * blocks * inner + k;
      for (int64_t step = 1; step < blocks; step *= 2) {
        for (int64_t b = 0; b + step < blocks; b += 2 * step) {
          typename R::Acc* to = first + b * inner;
          const typename R::Acc* from = to + step * inner;
          for (int64_t i = 0; i < n; ++i) to[i] = R::merge(to[i], from[i]);
        }
      }
      begin += n;
    }
  });
}

// Whether the data exceed a core's L2 cache. Prefetching what the cache holds takes a tenth longer than not doing so;
// prefetching the rest saves a fifth of a sum's time and half of a norm's (40 MB, one core).
template <class R> bool is_far(const Extent& extent) {
  return extent.lines() * extent.size * static_cast<int64_t>(sizeof(typename R::In)) > (int64_t{1} << 20);
}

// Reduces each block of each row into `partials`: [outer, blocks].
template <class R> void reduce_row_blocks(const typename R::In* x, const Extent& extent, typename R::Acc* partials) {
  int64_t blocks = blocks_of(extent), whole = extent.size / kBlock, reduced = extent.size;
  const bool far = is_far<R>(extent);
  parallel_for(extent.outer * blocks, kCheapGrain / kBlock, [=](int64_t begin, int64_t end) {
    if constexpr (kReadsApart<R>) {
      // Rows of few blocks: takes one block of each of four rows at a time.
      const int64_t rows = far ? (end - begin) / blocks / 4 : 0, apart = rows * blocks;
      for (int64_t i = begin; i < begin + apart; ++i) {
        const int64_t at = i % blocks * kBlock, n = std::min(kBlock, reduced - at);
        const typename R::In* from = x + i / blocks * reduced + at;
        if (n == kBlock) {
          reduce_apart<R>(from, rows * reduced, partials + i, apart);
        } else {
          for (int64_t r = 0; r < 4; ++r) partials[i + r * apart] = reduce_part<R>(from + r * rows * reduced, n, n);
        }
      }
      begin += 4 * apart;
    }
    while (begin < end) {
      int64_t row = begin / blocks, block = begin % blocks, n = std::min(end - begin, whole - block);
      const typename R::In* from = x + row * reduced + block * kBlock;
      if (n > 0) {
        reduce_rows<R>(from, n, kBlock, partials + begin, far);
      } else {
        n = 1;
        reduce_rows<R>(from, 1, reduced % kBlock, partials + begin, far);
      }
      begin += n;
    }
  });
}

// Reduces x and calls put(index of the first result, results, count), from several threads. `partials` has room for
// partials_of(extent). No size in the extent is 0.
template <class R, class Put>
void reduce_axis(const typename R::In* x, const Extent& extent, typename R::Acc* partials, const Put& put) {
  using Acc = typename R::Acc;
  int64_t blocks = blocks_of(extent), inner = extent.inner, reduced = extent.size;
  const bool far = is_far<R>(extent);
  if (inner == 1 && blocks == 1) {
    parallel_for(extent.outer, row_grain(kCheapGrain, reduced), [=, &put](int64_t begin, int64_t end) {
      Acc results[kTile];
      for (int64_t n; begin < end; begin += n) {
        n = std::min(kTile, end - begin);
        reduce_rows<R>(x + begin * reduced, n, reduced, results, far);
        put(begin, results, n);
      }
    });
    return;
  }
  if (inner == 1) {
    reduce_row_blocks<R>(x, extent, partials);
  } else {
    for_tiles(extent, [=, &put](int64_t o, int64_t block, int64_t column, int64_t columns) {
      Acc here[kTile];
      int64_t rows = std::min(kBlock, reduced - block * kBlock);
      const typename R::In* from = x + (o * reduced + block * kBlock) * inner + column;
      Acc* to = blocks > 1 ? partials + (o * blocks + block) * inner + column : here;
      if (inner < kLanes) reduce_narrow<R>(from, rows, inner, to);
      else reduce_tile<R>(from, rows, inner, columns, to);
      if (blocks == 1) put(o * inner + column, to, columns);
    });
  }
  if (blocks == 1) return;
  merge_blocks<R>(extent, partials);
  parallel_for(extent.lines(), kCheapGrain, [=, &put](int64_t begin, int64_t end) {
    for (int64_t n; begin < end; begin += n) {
      n = std::min(inner - begin % inner, end - begin);
      put(begin, partials + begin / inner * blocks * inner + begin % inner, n);
    }
  });
}

}  // namespace lutra
