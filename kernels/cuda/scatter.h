// Adds to positions on cards, or combines elements there with updates in another way, without atomics: the positions
// are sorted, and one thread combines everything that goes to one element, in the order of the indices. That is the
// CPU's order, so the bits are the same.
#pragma once

#include "kernels/cuda/copy.h"
#include "kernels/cuda/indexed.h"
#include "kernels/cuda/places.h"
#include "kernels/cuda/radix.h"
#include "kernels/element/element.h"

namespace lutra::cuda {

template <class K, class Rows> struct PlaceKeys {
  Rows rows;
  K* keys;  // an index out of range has the key `parts`, above all others
  int64_t* numbers;
  int64_t n, parts;
  FaultSlot* slot;  // null: not reported
};
template <class K, class Rows> LUTRA_GLOBAL void fill_place_keys(const PlaceKeys<K, Rows> args) {
  for (int64_t i = thread_index(); i < args.n; i += thread_count()) {
    int64_t place = args.rows.at(i);
    if (place < 0 && args.slot != nullptr) args.rows.tell(args.slot, i);
    args.keys[i] = static_cast<K>(place < 0 ? args.parts : place);
    args.numbers[i] = i;
  }
}

// How an update is combined with the element before it.
struct LastUpdate {
  template <class T> static constexpr T apply(T, T update) { return update; }
};

template <class T, class K> struct AddSorted {
  Input<T> from;
  T* to;
  const K* keys;
  const int64_t* numbers;
  int64_t n, parts, outer, length;
  bool repeats;  // `from` is one element for all
};
template <class How, class T, class K> LUTRA_GLOBAL void add_sorted(const AddSorted<T, K> args) {
  const int64_t work = args.outer * args.n * args.length;
  for (int64_t at = thread_index(); at < work; at += thread_count()) {
    int64_t k = at % args.length, first = at / args.length % args.n, o = at / args.length / args.n;
    K key = args.keys[first];
    if (static_cast<int64_t>(key) == args.parts || (first > 0 && args.keys[first - 1] == key)) continue;
    T* to = args.to + (o * args.parts + static_cast<int64_t>(key)) * args.length + k;
    auto sum = computed_in(*to);
    for (int64_t i = first; i < args.n && args.keys[i] == key; ++i) {
      int64_t from = args.repeats ? 0 : (o * args.n + args.numbers[i]) * args.length + k;
      sum = How::apply(sum, computed_in(args.from.data != nullptr ? args.from.data[from] : args.from.number));
    }
    *to = rounded_to<T>(sum);
  }
}

// to[o, places[i], k] = How(to[o, places[i], k], from[o, i, k]) for each i in order. `scratch` has add_rows_bytes(n).
template <class How = Add, class T, class Rows>
void add_rows(const CudaLaunch& on, const Rows& rows, int64_t n, const Array& from, T* to, int64_t outer, int64_t parts,
              int64_t length, FaultSlot* slot) {
  if (n == 0 || on.error != 0) return;
  auto run = [&]<class K>(TypeTag<K>) {
    RadixSort<K> sort(n, on.scratch);
    PlaceKeys<K, Rows> fill{rows, sort.keys(), sort.places(), n, parts, slot};
    launch(on, grid_for(on, n), fill_place_keys<K, Rows>, fill);
    sort.run(on, std::bit_width(static_cast<uint64_t>(parts)), {1, n, 1});
    AddSorted<T, K> add{input_of<T>(from), to, sort.keys(), sort.places(), n, parts, outer, length, from.rank == 0};
    int64_t work = outer * n * length;
    if (work > 0 && on.error == 0) launch(on, grid_for(on, work), add_sorted<How, T, K>, add);
  };
  if (parts <= INT32_MAX) run(TypeTag<uint32_t>{});
  else run(TypeTag<uint64_t>{});
}
inline std::size_t add_rows_bytes(int64_t n) { return RadixSort<uint64_t>::bytes(n); }

// Fills output 0 with zeros.
template <class T> void start_with_zeros(const CudaLaunch& on) {
  by_size(sizeof(T), [&]<class E>(TypeTag<E>) { run_indexed<E>(on, Everywhere<E>{E{}}); });
}

}  // namespace lutra::cuda
