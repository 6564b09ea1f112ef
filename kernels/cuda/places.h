// Resolves indices to positions ("places") on a card: of the slice that a kernel reads or adds to, or -1 for an index
// that is out of range.
#pragma once

#include "kernels/cuda/elementwise.h"
#include "kernels/indexing/places.h"

namespace lutra::cuda {

// Integers of any dtype; a single one passed by value is kept here.
struct Indices {
  const std::byte* data;
  DType type;
  int64_t one = 0;

  explicit Indices(const Array& array) : data(array.data), type(array.dtype) {
    if (!array.immediate) return;
    one = at(0);
    data = nullptr;
  }
  constexpr int64_t at(int64_t i) const {
    if (data == nullptr) return one;
    switch (type) {
      case DType::Int8: return reinterpret_cast<const int8_t*>(data)[i];
      case DType::UInt8: return reinterpret_cast<const uint8_t*>(data)[i];
      case DType::Int16: return reinterpret_cast<const int16_t*>(data)[i];
      case DType::Int32: return reinterpret_cast<const int32_t*>(data)[i];
      default: return reinterpret_cast<const int64_t*>(data)[i];
    }
  }
};

// Reports an index out of range, as kernels/indexing/places.h does.
LUTRA_DEVICE inline void tell_index(FaultSlot* slot, int64_t index, int64_t base, int64_t size) {
  tell_fault(slot, FaultCode::WrongValue, index, index == 0 && base != 0 ? -1 : size);
}

// Indices along one axis.
struct Places {
  Indices indices;
  int64_t base, size;
  Places(const Array& array, int64_t from, int64_t of) : indices(array), base(from), size(of) {}

  constexpr int64_t at(int64_t i) const { return place_of(indices.at(i), base, size); }
  LUTRA_DEVICE void tell(FaultSlot* slot, int64_t i) const { tell_index(slot, indices.at(i), base, size); }
};

// Rows of indices: one index for each of the leading axes.
struct NdPlaces {
  Indices indices;
  int64_t base, depth;
  int64_t dims[kMaxRank];
  NdPlaces(const Array& array, int64_t from, const int64_t* sizes)
      : indices(array), base(from), depth(array.dims[array.rank - 1]) {
    std::copy(sizes, sizes + depth, dims);
  }
  int64_t parts() const { return product(dims, 0, depth); }

  constexpr int64_t at(int64_t i) const {
    int64_t at = 0;
    for (int64_t k = 0; k < depth; ++k) {
      int64_t place = place_of(indices.at(i * depth + k), base, dims[k]);
      if (place < 0) return -1;
      at = at * dims[k] + place;
    }
    return at;
  }
  LUTRA_DEVICE void tell(FaultSlot* slot, int64_t i) const {
    for (int64_t k = 0; k < depth; ++k) {
      int64_t index = indices.at(i * depth + k);
      if (place_of(index, base, dims[k]) < 0) return tell_index(slot, index, base, dims[k]);
    }
  }
};

// Numbers that count from `base` and never from the end: ids, labels.
struct Numbers {
  Indices numbers;
  int64_t base, size;
  Numbers(const Array& array, int64_t from, int64_t of) : numbers(array), base(from), size(of) {}

  constexpr int64_t at(int64_t i) const {
    int64_t number = numbers.at(i);
    return number < base || number - base >= size ? -1 : number - base;
  }
  LUTRA_DEVICE void tell(FaultSlot* slot, int64_t i) const {
    tell_fault(slot, FaultCode::WrongValue, numbers.at(i), size);
  }
};

}  // namespace lutra::cuda
