// Indices of the largest and the smallest element on the CPU. Blocks are reduced in parallel, then compared in order,
// so that the first of equals wins whatever the number of threads.

#include <type_traits>

#include "kernels/cpu/loops/reduce.h"
#include "ops/argmax.h"
#include "ops/axes.h"

namespace lutra {
namespace {

// Whether x replaces `best`, which comes before it: nan does, unless `best` is nan.
template <bool kMost, class K> bool wins(K x, K best) {
  bool no_better = kMost ? x <= best : x >= best;
  return !no_better & (best == best);
}

// The key that an element is compared by; both zeros of a half have one key.
template <bool kMost, class T> [[gnu::always_inline]] inline Ordered<T> key_of(T x) {
  if constexpr (kIsHalf<T>) {
    Ordered<T> key = order_key<kMost>(x);
    return key == -1 ? Ordered<T>{0} : key;
  } else {
    return x;
  }
}

Extent extent_of(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Axes& axes = args.as<ArgMaxAttrs>().axis;
  if (!axes.given()) return {1, x.size, 1};
  return Extent::around(x.dims, x.rank, axis_of(axes, x.rank, 0));
}

// Integers for positions within a block. They are as wide as an element, if that suffices, so that both are in
// registers of the same shape.
template <class K>
using Place = std::conditional_t<sizeof(K) == 8, int64_t, std::conditional_t<sizeof(K) == 4, int32_t, int16_t>>;

// The first position of `best`, which must be there; nan finds nan.
template <bool kMost, class T> [[gnu::always_inline]] inline int64_t place_of(Ordered<T> best, const T* x, int64_t n) {
  using K = Ordered<T>;
  int64_t i = 0;
  if (best != best) {
    while (i + 1 < n && key_of<kMost>(x[i]) == key_of<kMost>(x[i])) ++i;
    return i;
  }
  for (; i + kLanes <= n; i += kLanes) {
    Place<K> found = 0;
    for (int64_t l = 0; l < kLanes; ++l) {
      found = static_cast<Place<K>>(found | (key_of<kMost>(x[i + l]) == best ? Place<K>{1} : Place<K>{0}));
    }
    if (found != 0) break;
  }
  while (i + 1 < n && key_of<kMost>(x[i]) != best) ++i;
  return i;
}

// The extreme of a block, with a single zero.
template <class T, bool kMost> struct KeyOf : ExtremeOf<T, kMost> {
  static Ordered<T> open(T x) { return key_of<kMost>(x); }
};
template <class T, bool kMost> using Extreme = std::conditional_t<kIsHalf<T>, KeyOf<T, kMost>, ExtremeOf<T, kMost>>;

template <class T, bool kMost> void argmax_rows(const T* x, int64_t count, int64_t n, int64_t base, int64_t* out) {
  for (int64_t row = 0; row < count; ++row) {
    out[row] = place_of<kMost>(reduce_part<Extreme<T, kMost>>(x + row * n, n), x + row * n, n) + base;
  }
}

template <class T, bool kMost>
void argmax_tile(const T* x, int64_t rows, int64_t stride, int64_t columns, Ordered<T>* __restrict best,
                 Place<Ordered<T>>* __restrict place) {
  for (int64_t k = 0; k < columns; ++k) {
    best[k] = key_of<kMost>(x[k]);
    place[k] = 0;
  }
  for (int64_t r = 1; r < rows; ++r) {
    const T* row = x + r * stride;
    Place<Ordered<T>> here = static_cast<Place<Ordered<T>>>(r);
    for (int64_t k = 0; k < columns; ++k) {
      Ordered<T> key = key_of<kMost>(row[k]);
      bool won = wins<kMost>(key, best[k]);
      best[k] = won ? key : best[k];
      place[k] = won ? here : place[k];
    }
  }
}

template <class T, bool kMost> void run_along_rows(const KernelArgs& args, const Extent& extent, int64_t base) {
  const T* x = args.in[0].as<T>();
  int64_t* out = args.out[0].as<int64_t>();
  int64_t blocks = blocks_of(extent), reduced = extent.size;
  if (blocks == 1) {
    parallel_for(extent.outer, row_grain(kCheapGrain, reduced), [=](int64_t begin, int64_t end) {
      argmax_rows<T, kMost>(x + begin * reduced, end - begin, reduced, base, out + begin);
    });
    return;
  }
  Ordered<T>* most = reinterpret_cast<Ordered<T>*>(args.scratch);
  auto size_of_block = [=](int64_t b) { return std::min(kBlock, reduced - b * kBlock); };
  for_tiles(extent, [=](int64_t o, int64_t b, int64_t, int64_t) {
    reduce_rows<Extreme<T, kMost>>(x + o * reduced + b * kBlock, 1, size_of_block(b), most + o * blocks + b);
  });
  parallel_for(extent.outer, row_grain(kCheapGrain, blocks + kBlock), [=](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      int64_t best = 0;
      for (int64_t b = 1; b < blocks; ++b) {
        if (wins<kMost>(most[o * blocks + b], most[o * blocks + best])) best = b;
      }
      int64_t first = best * kBlock;
      argmax_rows<T, kMost>(x + o * reduced + first, 1, size_of_block(best), base + first, out + o);
    }
  });
}

template <class T, bool kMost> void run_along_columns(const KernelArgs& args, const Extent& extent, int64_t base) {
  const T* x = args.in[0].as<T>();
  int64_t* out = args.out[0].as<int64_t>();
  int64_t blocks = blocks_of(extent), reduced = extent.size, inner = extent.inner;
  int64_t* places = reinterpret_cast<int64_t*>(args.scratch);
  Ordered<T>* most = reinterpret_cast<Ordered<T>*>(places + partials_of(extent));
  for_tiles(extent, [=](int64_t o, int64_t b, int64_t column, int64_t columns) {
    Ordered<T> best[kTile];
    Place<Ordered<T>> place[kTile];
    int64_t first = b * kBlock;
    argmax_tile<T, kMost>(x + (o * reduced + first) * inner + column, std::min(kBlock, reduced - first), inner, columns,
                          best, place);
    int64_t at = (blocks > 1 ? o * blocks + b : o) * inner + column;
    int64_t* to = blocks > 1 ? places : out;
    for (int64_t k = 0; k < columns; ++k) to[at + k] = place[k] + first + base;
    if (blocks > 1) std::copy(best, best + columns, most + at);
  });
  if (blocks == 1) return;
  parallel_for(extent.lines(), row_grain(kCheapGrain, blocks), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i / inner * blocks * inner + i % inner, best = first;
      for (int64_t b = 1; b < blocks; ++b) {
        if (wins<kMost>(most[first + b * inner], most[best])) best = first + b * inner;
      }
      out[i] = places[best];
    }
  });
}

template <class T, bool kMost> void run(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  Extent extent = extent_of(args);
  int64_t base = args.as<ArgMaxAttrs>().base.value;
  if (extent.inner == 1) run_along_rows<T, kMost>(args, extent, base);
  else run_along_columns<T, kMost>(args, extent, base);
}

template <class T> std::size_t scratch(const KernelArgs& args) {
  Extent extent = extent_of(args);
  return static_cast<std::size_t>(partials_of(extent)) * (sizeof(T) + (extent.inner == 1 ? 0 : sizeof(int64_t)));
}

template <bool kMost> void add(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllTypes{}, [](auto tag) {
    using T = Stored<typename decltype(tag)::type>;
    return KernelEntry{.run = run<T, kMost>, .scratch = scratch<T>};
  });
}

}  // namespace

void register_argmax_cpu(KernelRegistry& kernels) {
  add<true>(kernels, "ArgMax");
  add<false>(kernels, "ArgMin");
}

}  // namespace lutra
