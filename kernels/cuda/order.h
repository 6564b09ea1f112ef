// Elements in order along an axis, on cards: sorts every key with its position.
#pragma once

#include "kernels/cuda/radix.h"
#include "kernels/element/sort_keys.h"

namespace lutra::cuda {

template <class T> using SortKey = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <class T>
LUTRA_GLOBAL void fill_keys(const Input<T> x, SortKey<T>* keys, int64_t* places, int64_t n, KeyOf<T> flip) {
  for (int64_t i = thread_index(); i < n; i += thread_count()) {
    keys[i] = static_cast<KeyOf<T>>(key_of(x.data != nullptr ? x.data[i] : x.number) ^ flip);
    places[i] = i;
  }
}

template <class T> std::size_t order_bytes(const Array& x) { return RadixSort<SortKey<T>>::bytes(x.size); }

// The positions in x of the first, second, ... element of each line along the extent's axis, line after line.
template <class T>
const int64_t* places_in_order(const CudaLaunch& on, const Array& x, const Extent& extent, bool descending) {
  RadixSort<SortKey<T>> sort(x.size, on.scratch);
  const KeyOf<T> flip = descending ? std::numeric_limits<KeyOf<T>>::max() : KeyOf<T>(0);
  launch(on, grid_for(on, x.size), fill_keys<T>, input_of<T>(x), sort.keys(), sort.places(), x.size, flip);
  sort.run(on, std::is_same_v<T, bool> ? 1 : static_cast<int>(8 * sizeof(T)), extent);
  return sort.places();
}

// The first `count` of each line: their values, if `values`, and their positions on the axis, if `indices`.
template <class T> struct InOrder {
  Input<T> x;
  const int64_t* places;
  int64_t size, inner, count, base;
  T* values;
  int64_t* indices;
};
template <class T> LUTRA_GLOBAL void put_in_order(const InOrder<T> args, int64_t results) {
  for (int64_t at = thread_index(); at < results; at += thread_count()) {
    int64_t column = at % args.inner, rank = at / args.inner % args.count, outer = at / args.inner / args.count;
    int64_t from = args.places[(outer * args.inner + column) * args.size + rank];
    if (args.values != nullptr) args.values[at] = args.x.data != nullptr ? args.x.data[from] : args.x.number;
    if (args.indices != nullptr) args.indices[at] = from / args.inner % args.size + args.base;
  }
}
template <class T>
void run_in_order(const CudaLaunch& on, const Extent& extent, bool descending, int64_t count, int64_t base, T* values,
                  int64_t* indices) {
  if (on.in[0].size == 0 || count == 0) return;
  const int64_t* places = places_in_order<T>(on, on.in[0], extent, descending);
  InOrder<T> in_order{input_of<T>(on.in[0]), places, extent.size, extent.inner, count, base, values, indices};
  int64_t results = extent.lines() * count;
  if (on.error == 0) launch(on, grid_for(on, results), put_in_order<T>, in_order, results);
}

}  // namespace lutra::cuda
