// Products of float32 along rows, with AVX-512: the bits that float64 gives, in less time than it takes to read floats
// as doubles.
//
// A lane's product is two floats: hi, which is rounded, and the excess that rounding has given it. Lanes so gathered
// are off by kError at most, so what they come to lies between two bounds, which are multiplied as reduce.h's tree
// multiplies. Rounding is monotone: what the tree itself gives lies between its bounds, whatever overflows or
// underflows on the way. Where both are the same float, that is the result; a row of 1e5 numbers in some ten, and fewer
// of shorter ones, is computed again in float64. So are blocks in which a float left its range, which the processor
// tells.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/float_range.h"
#include "kernels/cpu/instructions.h"
#include "kernels/cpu/reduce.h"

#if defined(__AVX512F__)
namespace lutra {

inline constexpr int64_t kPairRegisters = 4;
inline constexpr int64_t kPairLanes = kPairRegisters * 16;
inline constexpr int64_t kNodes = kLanes / 2;  // what reduce.h's lanes are after the first fold
inline constexpr int64_t kAhead = 512;         // elements asked for before they are needed
inline constexpr int64_t kFewestPaired = 384;  // of fewer, float64 is as fast
inline constexpr int64_t kBlocksTogether = 8;  // between two looks at whether floats left their range
// Of 16 elements in a lane the j-th rounds an excess of at most (j - 1) 2^-24 hi, which makes 119 * 2^-48 together. Two
// lanes are joined with 62 * 2^-48 more, and a node is four; 40 * 2^-48 are left for what it and float64 round beside.
inline constexpr double kError = 640 * 0x1p-48;
static_assert(kBlock / kPairLanes == 16 && kPairLanes / kNodes == 4);

// Of a number in float64, by magnitude.
struct Bounds {
  double low, high;
};
struct ProdBounds {
  using Acc = Bounds;
  static Bounds merge(Bounds a, Bounds b) { return {a.low * b.low, a.high * b.high}; }
};

// Two lanes each: their product is hi - excess. Not hi + lo, which has lost the sign where hi is -0.
struct alignas(64) Pairs {
  float hi[kLanes], excess[kLanes];
};

// The lanes of n <= kBlock elements, but for the last n % kPairLanes. kCount says n to the compiler: without it a block
// that is in the first cache takes a fifth longer.
template <int64_t kCount = 0> [[gnu::noinline]] static void multiply_pairs(const float* x, int64_t size, Pairs& pairs) {
  const int64_t n = kCount > 0 ? kCount : size;
  using Floats = float __attribute__((vector_size(64)));
  Floats hi[kPairRegisters], excess[kPairRegisters] = {};
  std::memcpy(hi, x, sizeof hi);
  for (int64_t done = kPairLanes; done + kPairLanes <= n; done += kPairLanes) {
#pragma GCC unroll 4
    for (int64_t r = 0; r < kPairRegisters; ++r) {
      const float* at = x + done + r * 16;
      Floats next;
      std::memcpy(&next, at, sizeof next);
      asm("" : "+v"(next));  // or it is read three times, which is what takes longest
      __builtin_prefetch(at + kAhead);
      Floats product = hi[r] * next;
      excess[r] = muladd_lanes(next, excess[r], product_excess(next, hi[r], product));
      hi[r] = product;
    }
  }
  Floats both[2], excess_of_both[2];
  for (int64_t r = 0; r < 2; ++r) {
    both[r] = hi[r] * hi[r + 2];
    Floats rounding = product_excess(hi[r], hi[r + 2], both[r]);
    excess_of_both[r] =
        muladd_lanes(hi[r], excess[r + 2], muladd_lanes(hi[r + 2] - excess[r + 2], excess[r], rounding));
  }
  std::memcpy(pairs.hi, both, sizeof both);
  std::memcpy(pairs.excess, excess_of_both, sizeof excess_of_both);
}

// What becomes of eight lanes' bounds, low and high in turn, in fold_lanes.
[[gnu::always_inline]] inline Bounds fold_bounds(double* bounds, const float* rest, int64_t n) {
#pragma GCC unroll 4
  for (int64_t lanes = 8; lanes > 0; lanes /= 2) {
    if ((n & lanes) != 0) {
      for (int64_t l = 0; l < 2 * lanes; ++l) bounds[l] *= static_cast<double>(rest[l / 2]);
      rest += lanes;
    }
    if (lanes > 1)
      for (int64_t l = 0; l < lanes; ++l) bounds[l] *= bounds[l + lanes];
  }
  return {bounds[0], bounds[1]};
}

// The bounds of n elements whose lanes are `pairs`. While no float leaves its range, no run of a lane's elements leaves
// [2^-277, 2^277], and so nothing that float64 makes of four lanes leaves its; from there on it is fold_lanes of both.
static Bounds fold_pairs(const Pairs& pairs, const float* x, int64_t n) {
  const float* rest = x + n / kPairLanes * kPairLanes;
  n %= kPairLanes;
  auto lanes = [&](int64_t at) __attribute__((always_inline)) {
    return widened(pairs.hi + at) - widened(pairs.excess + at);
  };
  WideRegister low[2], high[2];
#pragma GCC unroll 2
  for (int64_t r = 0; r < 2; ++r) {
    const int64_t at = r * kWideLanes;
    WideRegister node = lanes(at) * lanes(at + kNodes);
    if (n >= kLanes) node = node * (widened(rest + at) * widened(rest + at + kNodes));
    low[r] = node * (1 - kError);
    high[r] = node * (1 + kError);
  }
  if (n >= kLanes) rest += kLanes;
  if ((n & kNodes) != 0) {
    for (int64_t r = 0; r < 2; ++r) {
      low[r] *= widened(rest + r * kWideLanes);
      high[r] *= widened(rest + r * kWideLanes);
    }
    rest += kNodes;
  }
  low[0] *= low[1];
  high[0] *= high[1];
  double bounds[2 * kWideLanes];
  for (int64_t l = 0; l < kWideLanes; ++l) {
    bounds[2 * l] = low[0][l];
    bounds[2 * l + 1] = high[0][l];
  }
  return fold_bounds(bounds, rest, n);
}

// Where one goes from block to block of rows that lie one behind the other: `size` elements each.
struct RowBlocks {
  const float* x;
  int64_t size, block, blocks;

  RowBlocks(const float* rows, int64_t row_size, int64_t first) : size(row_size), blocks((size + kBlock - 1) / kBlock) {
    block = first % blocks;
    x = rows + first / blocks * size + block * kBlock;
  }
  int64_t count() const { return std::min(kBlock, size - block * kBlock); }
  void next() {
    x += count();
    block = block + 1 < blocks ? block + 1 : 0;
  }
};

// As float64 gives it: both bounds are the same.
inline Bounds known(double product) { return {product, product}; }

// The bounds of the next n <= kBlocksTogether blocks. False if a float left its range: they are known then.
static bool bound_blocks(RowBlocks& rows, int64_t n, Bounds* bounds) {
  Pairs pairs[kBlocksTogether];
  RowBlocks again = rows;
  forget_left_range();
  for (int64_t i = 0; i < n; ++i, rows.next()) {
    const int64_t count = rows.count();
    if (count == kBlock) multiply_pairs<kBlock>(rows.x, count, pairs[i]);
    else if (count >= kFewestPaired) multiply_pairs(rows.x, count, pairs[i]);
  }
  const bool left = left_range();
  for (int64_t i = 0; i < n; ++i, again.next()) {
    if (left || again.count() < kFewestPaired) bounds[i] = known(reduce_part<ProdOf<float>>(again.x, again.count()));
    else bounds[i] = fold_pairs(pairs[i], again.x, again.count());
  }
  return !left;
}

// Calls put(first, bounds, how many) for all of blocks [begin, end). Where floats leave their range once they are soon
// likely to again: what follows is computed in float64.
template <class Put> void for_bounds(const float* x, int64_t size, int64_t begin, int64_t end, const Put& put) {
  RowBlocks rows(x, size, begin);
  bool paired = true;
  for (int64_t n; begin < end; begin += n) {
    Bounds bounds[kBlocksTogether];
    n = std::min(kBlocksTogether, end - begin);
    if (paired) {
      paired = bound_blocks(rows, n, bounds);
    } else {
      for (int64_t i = 0; i < n; ++i, rows.next()) bounds[i] = known(reduce_part<ProdOf<float>>(rows.x, rows.count()));
    }
    put(begin, bounds, n);
  }
}

// Whether both bounds are the same float, which is then in `result`.
inline bool settled(Bounds bounds, float& result) {
  result = static_cast<float>(bounds.low);
  const float high = static_cast<float>(bounds.high);
  return std::bit_cast<uint32_t>(result) == std::bit_cast<uint32_t>(high) && result == result;
}

// Whether rows are worth it: of many blocks more are computed twice, and what comes from memory is no sooner there.
inline bool is_paired(const Extent& extent) {
  return extent.inner == 1 && extent.size >= kFewestPaired && !is_far<ProdOf<float>>(extent);
}
inline std::size_t paired_scratch(const Extent& extent) {
  return static_cast<std::size_t>(partials_of(extent)) * sizeof(Bounds);
}

// The product of each row of a paired extent; `partials` has room for paired_scratch.
static void multiply_rows(const float* x, const Extent& extent, Bounds* partials, float* out) {
  const int64_t size = extent.size, blocks = blocks_of(extent);
  if (blocks == 1) {
    parallel_for(extent.outer, row_grain(kCheapGrain, size), [=](int64_t begin, int64_t end) {
      for_bounds(x, size, begin, end, [=](int64_t first, const Bounds* bounds, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          const int64_t row = first + i;
          if (!settled(bounds[i], out[row]))
            out[row] = rounded<float>(reduce_part<ProdOf<float>>(x + row * size, size));
        }
      });
    });
    return;
  }
  parallel_for(extent.outer * blocks, kCheapGrain / kBlock, [=](int64_t begin, int64_t end) {
    for_bounds(x, size, begin, end, [=](int64_t first, const Bounds* bounds, int64_t n) {
      std::copy(bounds, bounds + n, partials + first);
    });
  });
  for (int64_t row = 0; row < extent.outer; ++row, ++out) {
    Bounds* of_row = partials + row * blocks;
    merge_row<ProdBounds>(of_row, blocks);
    if (settled(*of_row, *out)) continue;
    reduce_axis<ProdOf<float>>(x + row * size, {1, size, 1}, reinterpret_cast<double*>(of_row),
                               [=](int64_t, const double* product, int64_t) { *out = rounded<float>(*product); });
  }
}

}  // namespace lutra
#endif
