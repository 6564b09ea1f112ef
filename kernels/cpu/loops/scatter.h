// Combines slices with slices at given positions. Each element of the result gets its updates in the order of the
// indices, whatever the number of threads, since no two share an element.
#pragma once

#include <atomic>
#include <type_traits>

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/indexing/places.h"

namespace lutra {

// How an update is combined with the element before it. Integers wrap. C is the compute type.
struct Plus {
  template <class C> static C apply(C a, C b) {
    if constexpr (std::is_integral_v<C>) {
      using U = std::make_unsigned_t<C>;
      return static_cast<C>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};

// The sums. Those of halves are in float, in scratch memory, and are rounded at the end.
template <class T> struct Sums {
  using C = ComputeType<T>;
  static constexpr bool kApart = !std::is_same_v<T, C>;
  const Array& out;
  C* at;

  explicit Sums(const KernelArgs& args)
      : out(args.out[0]), at(kApart ? reinterpret_cast<C*>(args.scratch) : args.out[0].as<C>()) {}
  static std::size_t scratch(const KernelArgs& args) {
    return kApart ? static_cast<std::size_t>(args.out[0].size) * sizeof(C) : 0;
  }
  void start() const {
    parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) { std::fill(at + begin, at + end, C(0)); });
  }
  void start(const T* from) const {
    parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) {
      if constexpr (kApart) {
        for (int64_t i = begin; i < end; ++i) at[i] = static_cast<C>(from[i]);
      } else {
        copy_bytes(at + begin, from + begin, (end - begin) * static_cast<int64_t>(sizeof(C)));
      }
    });
  }
  void finish() const {
    if constexpr (kApart) {
      T* to = out.as<T>();
      parallel_for(out.size, kCheapGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(at[i]);
      });
    }
  }
};

// Columns in a thread's share: whole cache lines.
constexpr int64_t kColumns = 64;

// to[o, places[i], k] = How(to[o, places[i], k], from[o, i, k]) for each i in order; `from` is one element for all if
// it repeats. Returns whether every index was in range.
template <class How, class T, class Rows>
bool add_rows(const Rows& rows, const T* from, bool repeats, ComputeType<T>* to, int64_t outer, int64_t parts,
              int64_t length) {
  using C = ComputeType<T>;
  int64_t count = rows.count(), blocks = (length + kColumns - 1) / kColumns;
  if (outer == 0 || count == 0 || length == 0) return true;
  std::atomic<bool> all_found = true;
  // Adds columns [k, k + n) of every i whose position is in [low, high).
  auto add = [&](int64_t o, int64_t k, int64_t n, int64_t low, int64_t high) {
    int64_t at[kPlacesAtOnce];
    bool found = true;
    for (int64_t i = 0; i < count; i += kPlacesAtOnce) {
      int64_t together = std::min(kPlacesAtOnce, count - i);
      rows.read(i, together, at);
      if (length == 1 && !repeats && low == 0 && high == parts && all_are_places(at, together)) {
        C* sums = to + o * parts;
        const T* row = from + o * count + i;
        for (int64_t j = 0; j < together; ++j) sums[at[j]] = How::apply(sums[at[j]], static_cast<C>(row[j]));
        continue;
      }
      for (int64_t j = 0; j < together; ++j) {
        found &= at[j] >= 0;
        if (at[j] < low || at[j] >= high) continue;
        C* __restrict sum = to + (o * parts + at[j]) * length + k;
        const T* __restrict row = repeats ? from : from + (o * count + i + j) * length + k;
        if (n == 1) {
          *sum = How::apply(*sum, static_cast<C>(*row));
        } else if (repeats) {
          for (int64_t c = 0; c < n; ++c) sum[c] = How::apply(sum[c], static_cast<C>(*row));
        } else {
          for (int64_t c = 0; c < n; ++c) sum[c] = How::apply(sum[c], static_cast<C>(row[c]));
        }
      }
    }
    if (!found) all_found = false;
  };
  if (outer * blocks >= 4 || count * length <= kCheapGrain) {
    int64_t work = count * std::min(length, kColumns);
    parallel_for(outer * blocks, row_grain(kCheapGrain, work), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin, together; item < end; item += together) {
        together = std::min(blocks - item % blocks, end - item);
        int64_t k = item % blocks * kColumns;
        add(item / blocks, k, std::min(together * kColumns, length - k), 0, parts);
      }
    });
    return all_found;
  }
  // Narrow slices: each thread adds to a range of them, and reads all indices to find them. For single elements that
  // takes longer than one thread alone, unless there are several threads.
  int64_t grain = length == 1 && !repeats && max_threads() < 4 ? parts : 1;
  for (int64_t o = 0; o < outer; ++o) {
    parallel_for(parts, grain, [&](int64_t begin, int64_t end) { add(o, 0, length, begin, end); });
  }
  return all_found;
}

}  // namespace lutra
