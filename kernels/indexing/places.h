// Resolves indices to positions ("places") of the slices that a kernel reads or adds to; -1 if an index is out of
// range.
#pragma once

#include <cstdint>
#include <limits>

#include "ops/axes.h"
#include "ops/kernel.h"

namespace lutra {

// How many positions are resolved at a time.
inline constexpr int64_t kPlacesAtOnce = 256;

// The position on an axis of `size` of an index that counts from `base`, 0 or 1, or from the end if negative; or -1. A
// chain of selects, which vectorises.
constexpr int64_t place_of(int64_t index, int64_t base, int64_t size) {
  const int64_t nowhere = base == 0 ? std::numeric_limits<int64_t>::min() : 0;
  int64_t at = index + (index < 0 ? size : -base);
  at = index == nowhere ? -1 : at;
  at = at < size ? at : -1;
  return at < 0 ? -1 : at;
}

inline void report_index(Fault& fault, int64_t index, int64_t base, int64_t size) {
  fault.raise(FaultCode::WrongValue, index, index == 0 && base != 0 ? -1 : size);
}

// Whether none of n positions is -1.
inline bool all_are_places(const int64_t* at, int64_t n) {
  int64_t signs = 0;
  for (int64_t j = 0; j < n; ++j) signs |= at[j];
  return signs >= 0;
}

// out[i] = place(i) for i in [0, n). `place` is passed by value, so that nothing it reads can alias what is written.
template <class Place> [[gnu::always_inline]] inline void fill_places(int64_t n, int64_t* __restrict out, Place place) {
  for (int64_t i = 0; i < n; ++i) out[i] = place(i);
}

// The positions of n indices, if all of them count from `base` and are in range; else false, and `out` is meaningless.
// Few instructions, none of them a select.
template <class I>
[[gnu::always_inline]] inline bool count_from_base(const I* from, int64_t base, int64_t size, int64_t n,
                                                   int64_t* __restrict out) {
  uint64_t outside = 0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t at = static_cast<uint64_t>(static_cast<int64_t>(from[i])) - static_cast<uint64_t>(base);
    out[i] = static_cast<int64_t>(at);
    outside |= at | (static_cast<uint64_t>(size) - 1 - at);
  }
  return static_cast<int64_t>(outside) >= 0;
}

// result[i] is the element at index i, if all n indices count from `base` and are in range of `size`; else false, and
// results are meaningless. In one loop, so that the other work overlaps with waiting for memory.
template <class I, class E>
bool pick_counted(const I* from, int64_t base, int64_t size, int64_t n, const E* elements, E* __restrict result) {
  if (size == 0) return n == 0;
  uint64_t outside = 0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t at = static_cast<uint64_t>(static_cast<int64_t>(from[i])) - static_cast<uint64_t>(base);
    const bool is_there = at < static_cast<uint64_t>(size);
    outside += !is_there;
    result[i] = elements[is_there ? at : 0];
  }
  return outside == 0;
}

// Calls f(pointer) with an index tensor's data in their stored type.
template <class F> void visit_indices(const Array& indices, const F& f) {
  switch (indices.dtype) {
    case DType::Int8: return f(indices.as<int8_t>());
    case DType::UInt8: return f(indices.as<uint8_t>());
    case DType::Int16: return f(indices.as<int16_t>());
    case DType::Int32: return f(indices.as<int32_t>());
    default: return f(indices.as<int64_t>());
  }
}

// Indices along one axis.
struct Places {
  const Array& indices;
  int64_t base, size;

  int64_t count() const { return indices.size; }
  // The positions of `n` indices, `stride` apart, from `first` on.
  void read(int64_t first, int64_t n, int64_t* out, int64_t stride = 1) const {
    visit_indices(indices, [&](auto* from) {
      from += first;
      if (stride == 1 && count_from_base(from, base, size, n, out)) return;
      auto place = [from, b = base, s = size](int64_t i) { return place_of(from[i], b, s); };
      if (stride == 1) fill_places(n, out, place);
      else fill_places(n, out, [=](int64_t i) { return place(i * stride); });
    });
  }
  // Picks n neighbouring results in one loop (pick_counted).
  template <class E> bool pick(int64_t first, int64_t n, const E* elements, E* result) const {
    bool all = false;
    visit_indices(indices, [&](auto* from) { all = pick_counted(from + first, base, size, n, elements, result); });
    return all;
  }
  // Reports the first index out of range, whichever thread met one first.
  void report(Fault& fault) const {
    visit_indices(indices, [&](auto* from) {
      for (int64_t i = 0; i < indices.size; ++i) {
        if (place_of(from[i], base, size) < 0) return report_index(fault, from[i], base, size);
      }
    });
  }
};

// Rows of indices: one index for each of the leading axes.
struct NdPlaces {
  const Array& indices;
  int64_t base;
  const int64_t* dims;  // of the axes
  int64_t depth = indices.dims[indices.rank - 1];

  NdPlaces(const Array& from, int64_t index_base, const int64_t* sizes)
      : indices(from), base(index_base), dims(sizes) {}
  int64_t count() const { return product(indices.dims, 0, indices.rank - 1); }
  // How many slices those axes have together.
  int64_t parts() const { return product(dims, 0, depth); }
  void read(int64_t first, int64_t n, int64_t* out) const {
    visit_indices(indices, [&](auto* from) {
      from += first * depth;
      if (depth == 2) {
        fill_places(n, out, [from, b = base, rows = dims[0], columns = dims[1]](int64_t i) {
          int64_t row = place_of(from[2 * i], b, rows), column = place_of(from[2 * i + 1], b, columns);
          return (row | column) < 0 ? -1 : row * columns + column;
        });
        return;
      }
      for (int64_t i = 0; i < n; ++i, from += depth) {
        int64_t at = 0;
        for (int64_t k = 0; k < depth && at >= 0; ++k) {
          int64_t place = place_of(from[k], base, dims[k]);
          at = place < 0 ? -1 : at * dims[k] + place;
        }
        out[i] = at;
      }
    });
  }
  void report(Fault& fault) const {
    visit_indices(indices, [&](auto* from) {
      for (int64_t i = 0; i < indices.size; ++i) {
        int64_t size = dims[i % depth];
        if (place_of(from[i], base, size) < 0) return report_index(fault, from[i], base, size);
      }
    });
  }
};

// Numbers that count from `base` and never from the end: ids, labels.
struct Numbers {
  const Array& numbers;
  int64_t base, size;

  int64_t count() const { return numbers.size; }
  // The position of the i-th, or -1.
  int64_t at(int64_t i) const {
    int64_t place;
    read(i, 1, &place);
    return place;
  }
  void read(int64_t first, int64_t n, int64_t* out) const {
    visit_indices(numbers, [&](auto* from) {
      from += first;
      fill_places(n, out, [from, b = base, s = size](int64_t i) { return place_among(from[i], b, s); });
    });
  }
  // Reports the first number out of range, whichever thread met one first.
  void report(Fault& fault) const {
    visit_indices(numbers, [&](auto* from) {
      for (int64_t i = 0; i < numbers.size; ++i) {
        if (place_among(from[i], base, size) < 0) return fault.raise(FaultCode::WrongValue, from[i], size);
      }
    });
  }

 private:
  static int64_t place_among(int64_t number, int64_t base, int64_t size) {
    return number < base || number - base >= size ? -1 : number - base;
  }
};

}  // namespace lutra
