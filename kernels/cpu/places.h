// Where indices lead: the place of a part among those that a kernel picks from or adds to, or -1 for an index that
// leads nowhere.
#pragma once

#include <atomic>
#include <cstring>

#include "kernels/cpu/elementwise.h"
#include "ops/axes.h"

namespace lutra {

// As many places as are worked out at a time.
inline constexpr int64_t kPlacesAtOnce = 256;

// An index on an axis of `size`: its place, or -1.
inline int64_t place_of(int64_t index, int64_t base, int64_t size) {
  int64_t at = index < 0 ? index + size : index - base;
  return (index == 0 && base != 0) || at < 0 || at >= size ? -1 : at;
}

inline void report_index(Fault& fault, int64_t index, int64_t base, int64_t size) {
  fault.raise(index == 0 && base != 0 ? FaultCode::IndexZero : FaultCode::IndexOutOfRange, index, size);
}

// Calls f(integers) with those of a tensor of indices as they are stored.
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
  // Those of `n` indices, `stride` apart from `first` on.
  void read(int64_t first, int64_t n, int64_t* out, int64_t stride = 1) const {
    visit_indices(indices, [&](auto* from) {
      from += first;
      if (stride == 1) {
        for (int64_t i = 0; i < n; ++i) out[i] = place_of(from[i], base, size);
      } else {
        for (int64_t i = 0; i < n; ++i) out[i] = place_of(from[i * stride], base, size);
      }
    });
  }
  // Tells the first index that leads nowhere, whichever thread met one first.
  void report(Fault& fault) const {
    visit_indices(indices, [&](auto* from) {
      for (int64_t i = 0; i < indices.size; ++i) {
        if (place_of(from[i], base, size) < 0) return report_index(fault, from[i], base, size);
      }
    });
  }
};

// Rows of indices, one for each of the leading axes.
struct NdPlaces {
  const Array& indices;
  int64_t base;
  const int64_t* dims;  // of the axes
  int64_t depth = indices.dims[indices.rank - 1];

  NdPlaces(const Array& from, int64_t index_base, const int64_t* sizes)
      : indices(from), base(index_base), dims(sizes) {}
  int64_t count() const { return product(indices.dims, 0, indices.rank - 1); }
  // How many parts those axes have together.
  int64_t parts() const { return product(dims, 0, depth); }
  void read(int64_t first, int64_t n, int64_t* out) const {
    visit_indices(indices, [&](auto* from) {
      from += first * depth;
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
  FaultCode code;  // how one that is not there is told

  int64_t count() const { return numbers.size; }
  // The place of the i-th, or -1.
  int64_t at(int64_t i) const {
    int64_t place;
    read(i, 1, &place);
    return place;
  }
  void read(int64_t first, int64_t n, int64_t* out) const {
    visit_indices(numbers, [&](auto* from) {
      for (int64_t i = 0; i < n; ++i) out[i] = place(from[first + i]);
    });
  }
  // Tells the first that leads nowhere, whichever thread met one first.
  void report(Fault& fault) const {
    visit_indices(numbers, [&](auto* from) {
      for (int64_t i = 0; i < numbers.size; ++i) {
        if (place(from[i]) < 0) return fault.raise(code, from[i], size);
      }
    });
  }

 private:
  int64_t place(int64_t number) const { return number < base || number - base >= size ? -1 : number - base; }
};

}  // namespace lutra
