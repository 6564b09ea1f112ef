// Reductions that need their elements twice, as a variance does for the mean. A run or block is reduced to two numbers
// while it is in the L1 cache; these pairs are merged in a fixed tree. P has:
//   block(x, n, &a, &b)                   reduces n neighbouring elements
//   tile(x, rows, columns, a, b)          the same with one pair per column
//   merge(a, b, n, a2, b2, n2, columns)   merges pairs of n2 elements into pairs of n, column by column
//   finish(a, b, count)                   the result, a double; a and b are 0 when count is
// Elements are float or double.
#pragma once

#include "kernels/cpu/loops/reduce_axes.h"

namespace lutra {

inline constexpr int64_t kPairColumns = 64;  // at most; a run of so many columns stays in the L1 cache

// Pairs of numbers, in two arrays.
struct Pairs {
  double* a;
  double* b;
  Pairs at(int64_t i) const { return {a + i, b + i}; }
};

// Copies rows x columns elements to `out`, contiguous and converted to C. The element of row r and column k is x[r *
// stride + k * apart].
template <class T, class C>
[[gnu::always_inline]] inline void gather(const T* x, int64_t rows, int64_t stride, int64_t columns, int64_t apart,
                                          C* out) {
  for (int64_t r = 0; r < rows; ++r) {
    if (apart == 1) {
      for (int64_t k = 0; k < columns; ++k) out[r * columns + k] = static_cast<C>(x[r * stride + k]);
    } else {
      for (int64_t k = 0; k < columns; ++k) out[r * columns + k] = static_cast<C>(x[r * stride + k * apart]);
    }
  }
}

// `rows` <= kBlock rows of `columns` <= kPairColumns elements.
template <class P, class T>
static void pair_columns(const T* x, int64_t rows, int64_t stride, int64_t columns, int64_t apart, Pairs out) {
  using C = ComputeType<T>;
  C run[kRun * kPairColumns];
  double a[kPairColumns], b[kPairColumns];
  for (int64_t first = 0; first < rows; first += kRun) {
    int64_t n = std::min(kRun, rows - first);
    gather(x + first * stride, n, stride, columns, apart, run);
    if (first == 0) {
      P::tile(run, n, columns, out.a, out.b);
    } else {
      P::tile(run, n, columns, a, b);
      P::merge(out.a, out.b, first, a, b, n, columns);
    }
  }
}

// Few columns: several rows are read as one wide row, and merged at the end.
template <class P, class T> static void pair_narrow(const T* x, int64_t rows, int64_t columns, Pairs out) {
  int64_t together = 1;
  while (2 * together * columns <= kPairColumns && 2 * together <= std::min(rows, kRun)) together *= 2;
  double a[kPairColumns], b[kPairColumns];
  int64_t wide_rows = rows / together, done = wide_rows * together;
  pair_columns<P>(x, wide_rows, together * columns, together * columns, 1, Pairs{a, b});
  for (int64_t half = together / 2, n = wide_rows; half > 0; half /= 2, n *= 2) {
    P::merge(a, b, n, a + half * columns, b + half * columns, n, half * columns);
  }
  std::copy(a, a + columns, out.a);
  std::copy(b, b + columns, out.b);
  if (done == rows) return;
  pair_columns<P>(x + done * columns, rows - done, columns, columns, 1, Pairs{a, b});
  P::merge(out.a, out.b, done, a, b, rows - done, columns);
}

template <class P, class T> static void pair_block(const T* x, int64_t n, Pairs out) {
  using C = ComputeType<T>;
  if constexpr (std::is_same_v<C, T>) {
    P::block(x, n, out.a, out.b);
  } else {
    C block[kBlock];
    block[0] = 0;  // n is at least 1, which the compiler cannot know
    gather(x, 1, 0, n, 1, block);
    P::block(block, n, out.a, out.b);
  }
}

// Merges the pairs of each result, neighbours first, into the first of them. `pairs` is [outer, extent.size, inner].
// Each pair comes from n elements, the last of each result from `last`.
template <class P> void merge_pairs(Pairs pairs, const Extent& extent, int64_t n, int64_t last) {
  int64_t count = extent.size, inner = extent.inner;
  parallel_for(extent.lines(), row_grain(kCheapGrain / 8, count), [=](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t k = begin % inner, columns = std::min(inner - k, end - begin);
      Pairs first = pairs.at(begin / inner * count * inner + k);
      for (int64_t step = 1; step < count; step *= 2) {
        for (int64_t i = 0; i + step < count; i += 2 * step) {
          Pairs to = first.at(i * inner), from = first.at((i + step) * inner);
          int64_t more = i + 2 * step < count ? step * n : (count - i - step - 1) * n + last;
          P::merge(to.a, to.b, step * n, from.a, from.b, more, columns);
        }
      }
      begin += columns;
    }
  });
}

// Moves the first pair of each result to the front, without gaps.
inline void compact_pairs(Pairs pairs, const Extent& extent) {
  if (extent.size == 1) return;
  for (int64_t o = 1; o < extent.outer; ++o) {
    Pairs from = pairs.at(o * extent.size * extent.inner), to = pairs.at(o * extent.inner);
    std::copy(from.a, from.a + extent.inner, to.a);
    std::copy(from.b, from.b + extent.inner, to.b);
  }
}

// The first stage: pairs of blocks, [outer, blocks, inner].
template <class P, class T> void gather_pairs(const T* x, const Extent& extent, Pairs pairs) {
  int64_t reduced = extent.size, inner = extent.inner, blocks = blocks_of(extent);
  if (inner == 1 && reduced <= kRun) {  // many short rows: side by side, as columns
    int64_t groups = (extent.outer + kPairColumns - 1) / kPairColumns;
    parallel_for(groups, row_grain(kCheapGrain / 4, reduced * kPairColumns), [=](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group) {
        int64_t row = group * kPairColumns, rows = std::min(kPairColumns, extent.outer - row);
        pair_columns<P>(x + row * reduced, reduced, 1, rows, reduced, pairs.at(row));
      }
    });
    return;
  }
  for_tiles(extent, [=](int64_t o, int64_t block, int64_t column, int64_t columns) {
    int64_t rows = std::min(kBlock, reduced - block * kBlock);
    const T* from = x + (o * reduced + block * kBlock) * inner + column;
    Pairs to = pairs.at((o * blocks + block) * inner + column);
    if (inner == 1) return pair_block<P>(from, rows, to);
    if (inner < kLanes) return pair_narrow<P>(from, rows, inner, to);
    for (int64_t k = 0; k < columns; k += kPairColumns) {
      pair_columns<P>(from + k, rows, inner, std::min(kPairColumns, columns - k), 1, to.at(k));
    }
  });
}

inline int64_t pair_count(const ReducePlan& plan) {
  if (plan.stages == 0) return 0;
  return plan.stage[0].lines() * blocks_of(plan.stage[0]);
}

inline std::size_t pair_scratch(const KernelArgs& args) {
  return static_cast<std::size_t>(pair_count(ReducePlan::of(args))) * 2 * sizeof(double);
}

// finish(a, b, count) gives a result as a double.
template <class P, class T, class Finish> void reduce_pairs(const KernelArgs& args, const Finish& finish) {
  ReducePlan plan = ReducePlan::of(args);
  T* out = args.out[0].as<T>();
  if (plan.stages == 0) {
    std::fill(out, out + args.out[0].size, rounded<T>(finish(0.0, 0.0, int64_t{0})));
    return;
  }
  Pairs pairs{reinterpret_cast<double*>(args.scratch), reinterpret_cast<double*>(args.scratch) + pair_count(plan)};
  gather_pairs<P>(args.in[0].as<T>(), plan.stage[0], pairs);
  Extent blocks = plan.stage[0];
  blocks.size = blocks_of(plan.stage[0]);
  int64_t reduced = plan.stage[0].size;
  merge_pairs<P>(pairs, blocks, kBlock, reduced - (blocks.size - 1) * kBlock);
  compact_pairs(pairs, blocks);
  int64_t n = reduced;
  for (int i = 1; i < plan.stages; ++i) {
    merge_pairs<P>(pairs, plan.stage[i], n, n);
    compact_pairs(pairs, plan.stage[i]);
    n *= plan.stage[i].size;
  }
  parallel_for(args.out[0].size, kCheapGrain / 4, [=, &finish](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = rounded<T>(finish(pairs.a[i], pairs.b[i], n));
  });
}

}  // namespace lutra
