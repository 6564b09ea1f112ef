// Sorts the lines of a tensor along an axis: plans the threads' work, and writes the records to sort.
#pragma once

#include "core/stop_request.h"
#include "kernels/cpu/loops/sort.h"
#include "kernels/indexing/places.h"

namespace lutra {

// Lines along an axis, distributed over `slots`, each with scratch memory of its own. A few long lines are sorted one
// after the other instead, each on all threads. Nothing here depends on the number of threads.
struct LinePlan {
  static constexpr int64_t kMostSlots = 64, kFewLines = 8, kLong = 4 * kSortedApart;
  int64_t length, stride, lines, slots;

  LinePlan(const Array& x, int axis) {
    Extent extent = Extent::around(x.dims, x.rank, axis);
    length = extent.size;
    stride = extent.inner;
    lines = x.size == 0 ? 0 : extent.outer * extent.inner;
    slots = lines < kFewLines && length >= kLong ? std::min<int64_t>(1, lines) : std::min(lines, kMostSlots);
  }
  // The index of a line's element 0, if lines have `size` elements.
  int64_t first(int64_t line, int64_t size) const { return line / stride * stride * size + line % stride; }

  // Calls f(line, slot).
  template <class F> void each(const F& f) const {
    int64_t work = slots > 0 ? (lines + slots - 1) / slots * length : 0;
    parallel_for(slots, slots > 1 ? row_grain(kCostlyGrain, work) : 1, [&](int64_t begin, int64_t end) {
      for (int64_t slot = begin; slot < end; ++slot) {
        for (int64_t line = slot; line < lines; line += slots) {
          if (StopRequest::is_wanted()) throw LoopStopped();
          f(line, slot);
        }
      }
    });
  }
};

// Calls f(begin, end) for ranges of a line, from several threads.
template <class F> void each_part(int64_t length, const F& f) { parallel_for(length, kSortedApart, f); }

// Writes a line's records for sorting.
template <class R, class T> void fill_records(const T* x, int64_t stride, int64_t n, bool descending, R* to) {
  using K = KeyOf<T>;
  const K flip = descending ? std::numeric_limits<K>::max() : K(0);
  each_part(n, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = R(static_cast<K>(key_of(x[i * stride]) ^ flip), i);
  });
}

// Calls f(R{}) with the record type for lines of this length.
template <class T, class F> decltype(auto) with_record(int64_t line, const F& f) {
  if constexpr (sizeof(T) <= 4) {
    if (fits_packed(sizeof(T), line)) return f(Packed{});
  }
  return f(Wide{});
}

}  // namespace lutra
