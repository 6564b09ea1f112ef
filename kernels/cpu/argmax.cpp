// Where the largest element is, on the CPU: a part of the reduce family. Blocks are reduced in parallel, then compared
// in order, so that the first of equals wins whatever the number of threads.

#include <type_traits>

#include "kernels/cpu/reduce.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

// Whether x takes the place of `best`, which comes before it.
template <class T> bool wins(T x, T best) { return (x > best) | ((x != x) & (best == best)); }

Extent extent_of(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Axes& axes = args.as<ArgMaxAttrs>().axis;
  if (!axes.given()) return {1, x.size, 1};
  int axis = static_cast<int>(axes.v[0] < 0 ? axes.v[0] + x.rank : axes.v[0]);
  Extent extent{1, x.dims[axis], 1};
  for (int i = 0; i < axis; ++i) extent.outer *= x.dims[i];
  for (int i = axis + 1; i < x.rank; ++i) extent.inner *= x.dims[i];
  return extent;
}

// The first place of `value`, which is there; nan finds nan.
template <class T> [[gnu::always_inline]] inline int64_t place_of(T value, const T* x, int64_t n) {
  bool is_nan = value != value;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    int found = 0;
    for (int64_t l = 0; l < kLanes; ++l) found |= (x[i + l] == value) | (is_nan & (x[i + l] != x[i + l]));
    if (found != 0) break;
  }
  while (i + 1 < n && !(x[i] == value || (is_nan && x[i] != x[i]))) ++i;
  return i;
}

template <class T> void argmax_rows(const T* x, int64_t count, int64_t n, int64_t base, int64_t* out) {
  for (int64_t row = 0; row < count; ++row) {
    out[row] = place_of(reduce_block<MaxOf<T>>(x + row * n, n), x + row * n, n) + base;
  }
}

// As wide as an element, so that both live in registers of one shape.
template <class T> using Place = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

template <class T>
void argmax_tile(const T* x, int64_t rows, int64_t stride, int64_t columns, T* __restrict best,
                            Place<T>* __restrict place) {
  for (int64_t k = 0; k < columns; ++k) {
    best[k] = x[k];
    place[k] = 0;
  }
  for (int64_t r = 1; r < rows; ++r) {
    const T* row = x + r * stride;
    Place<T> here = static_cast<Place<T>>(r);
    for (int64_t k = 0; k < columns; ++k) {
      bool won = wins(row[k], best[k]);
      best[k] = won ? row[k] : best[k];
      place[k] = won ? here : place[k];
    }
  }
}

template <class T> void run_along_rows(const KernelArgs& args, const Extent& extent, int64_t base) {
  const T* x = args.in[0].as<T>();
  int64_t* out = args.out[0].as<int64_t>();
  int64_t blocks = extent.blocks(), reduced = extent.reduced;
  if (blocks == 1) {
    parallel_for(extent.outer, row_grain(kCheapGrain, reduced), [=](int64_t begin, int64_t end) {
      argmax_rows(x + begin * reduced, end - begin, reduced, base, out + begin);
    });
    return;
  }
  T* most = reinterpret_cast<T*>(args.scratch);
  auto size_of_block = [=](int64_t b) { return std::min(kBlock, reduced - b * kBlock); };
  for_tiles(extent, [=](int64_t o, int64_t b, int64_t, int64_t) {
    reduce_rows<MaxOf<T>>(x + o * reduced + b * kBlock, 1, size_of_block(b), most + o * blocks + b);
  });
  parallel_for(extent.outer, row_grain(kCheapGrain, blocks + kBlock), [=](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      int64_t best = 0;
      for (int64_t b = 1; b < blocks; ++b) {
        if (wins(most[o * blocks + b], most[o * blocks + best])) best = b;
      }
      int64_t first = best * kBlock;
      argmax_rows(x + o * reduced + first, 1, size_of_block(best), base + first, out + o);
    }
  });
}

template <class T> void run_along_columns(const KernelArgs& args, const Extent& extent, int64_t base) {
  const T* x = args.in[0].as<T>();
  int64_t* out = args.out[0].as<int64_t>();
  int64_t blocks = extent.blocks(), reduced = extent.reduced, inner = extent.inner;
  int64_t* places = reinterpret_cast<int64_t*>(args.scratch);
  T* most = reinterpret_cast<T*>(places + extent.partials());
  for_tiles(extent, [=](int64_t o, int64_t b, int64_t column, int64_t columns) {
    T best[kTile];
    Place<T> place[kTile];
    int64_t first = b * kBlock;
    argmax_tile(x + (o * reduced + first) * inner + column, std::min(kBlock, reduced - first), inner, columns, best,
                place);
    int64_t at = (blocks > 1 ? o * blocks + b : o) * inner + column;
    int64_t* to = blocks > 1 ? places : out;
    for (int64_t k = 0; k < columns; ++k) to[at + k] = place[k] + first + base;
    if (blocks > 1) std::copy(best, best + columns, most + at);
  });
  if (blocks == 1) return;
  parallel_for(extent.results(), row_grain(kCheapGrain, blocks), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i / inner * blocks * inner + i % inner, best = first;
      for (int64_t b = 1; b < blocks; ++b) {
        if (wins(most[first + b * inner], most[best])) best = first + b * inner;
      }
      out[i] = places[best];
    }
  });
}

template <class T> void run(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  Extent extent = extent_of(args);
  int64_t base = args.as<ArgMaxAttrs>().base.value;
  if (extent.inner == 1) run_along_rows<T>(args, extent, base);
  else run_along_columns<T>(args, extent, base);
}

template <class T> std::size_t scratch(const KernelArgs& args) {
  Extent extent = extent_of(args);
  return static_cast<std::size_t>(extent.partials()) * (sizeof(T) + (extent.inner == 1 ? 0 : sizeof(int64_t)));
}

template <class T> constexpr KernelEntry entry() { return {.run = run<T>, .scratch = scratch<T>}; }

}  // namespace

void register_argmax_cpu(KernelRegistry& kernels) {
  kernels.add_each("ArgMax", DeviceType::CPU, ComputedNumbers{},
                   [](auto tag) { return entry<typename decltype(tag)::type>(); });
  kernels.add("ArgMax", DeviceType::CPU, kBool, entry<uint8_t>());
}

}  // namespace lutra
