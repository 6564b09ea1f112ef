// Copies elements that lie at regular steps into a contiguous result: transposes and slices. Only bytes move, so there
// is one version an element size.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/elementwise.h"

namespace lutra {

// Swaps rows and columns of a square of as many elements as a register has.
template <class E> struct Square {
  static constexpr int kSide = 1;
  static void turn(const E* from, int64_t, E* to, int64_t) { *to = *from; }
};

template <> struct Square<uint32_t> {
  static constexpr int kSide = 4;
  static void turn(const uint32_t* from, int64_t from_step, uint32_t* to, int64_t to_step) {
    using Words = uint32_t __attribute__((vector_size(16)));
    using Pairs = uint64_t __attribute__((vector_size(16)));
    Words row[4];
    for (int i = 0; i < 4; ++i) std::memcpy(&row[i], from + i * from_step, sizeof row[i]);
    Pairs low01 = Pairs(__builtin_shufflevector(row[0], row[1], 0, 4, 1, 5));
    Pairs low23 = Pairs(__builtin_shufflevector(row[2], row[3], 0, 4, 1, 5));
    Pairs high01 = Pairs(__builtin_shufflevector(row[0], row[1], 2, 6, 3, 7));
    Pairs high23 = Pairs(__builtin_shufflevector(row[2], row[3], 2, 6, 3, 7));
    Pairs column[4] = {__builtin_shufflevector(low01, low23, 0, 2), __builtin_shufflevector(low01, low23, 1, 3),
                       __builtin_shufflevector(high01, high23, 0, 2), __builtin_shufflevector(high01, high23, 1, 3)};
    for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_step, &column[i], sizeof column[i]);
  }
};

template <> struct Square<uint64_t> {
  static constexpr int kSide = 2;
  static void turn(const uint64_t* from, int64_t from_step, uint64_t* to, int64_t to_step) {
    using Pairs = uint64_t __attribute__((vector_size(16)));
    Pairs row[2], column[2];
    for (int i = 0; i < 2; ++i) std::memcpy(&row[i], from + i * from_step, sizeof row[i]);
    column[0] = __builtin_shufflevector(row[0], row[1], 0, 2);
    column[1] = __builtin_shufflevector(row[0], row[1], 1, 3);
    for (int i = 0; i < 2; ++i) std::memcpy(to + i * to_step, &column[i], sizeof column[i]);
  }
};

// How the source is walked, in elements: axis 0 is the result's innermost. Neighbouring axes that the source walks as
// one are merged.
class StridedCopy {
 public:
  static constexpr int kMostAxes = 48;  // more than tensors have: einsum's products on the way

  // The next axis outwards.
  void push(int64_t size, int64_t stride) {
    if (size == 1) return;
    if (rank_ > 0 && stride == strides_[rank_ - 1] * dims_[rank_ - 1]) {
      dims_[rank_ - 1] *= size;
      return;
    }
    dims_[rank_] = size;
    strides_[rank_++] = stride;
  }

  // `from` is the element that goes first. The result is not empty.
  void run(std::size_t element_bytes, const std::byte* from, std::byte* to) {
    if (rank_ == 0) {
      dims_[0] = 1;
      strides_[rank_++] = 1;
    }
    switch (element_bytes) {
      case 1: return run_as<uint8_t>(from, to);
      case 2: return run_as<uint16_t>(from, to);
      case 4: return run_as<uint32_t>(from, to);
      case 8: return run_as<uint64_t>(from, to);
    }
  }

 private:
  template <class E> void run_as(const std::byte* from_bytes, std::byte* to_bytes) const {
    const E* from = reinterpret_cast<const E*>(from_bytes);
    E* to = reinterpret_cast<E*>(to_bytes);
    for (int axis = 1; axis < rank_ && strides_[0] != 1; ++axis) {
      if (strides_[axis] == 1) return turn(from, to, axis);
    }
    copy_rows(from, to);
  }

  template <class E> void copy_rows(const E* from, E* to) const {
    int64_t length = dims_[0], stride = strides_[0], rows = 1;
    for (int axis = 1; axis < rank_; ++axis) rows *= dims_[axis];
    parallel_for(rows, row_grain(kCheapGrain, length), [=, this](int64_t begin, int64_t end) {
      int64_t index[kMostAxes];
      const E* row = from + start_of(begin, 1, index);
      for (int64_t r = begin; r < end; ++r) {
        E* out = to + r * length;
        if (stride == 1) std::memcpy(out, row, static_cast<std::size_t>(length) * sizeof(E));
        else
          for (int64_t i = 0; i < length; ++i) out[i] = row[i * stride];
        for (int axis = 1; axis < rank_; ++axis) {
          row += strides_[axis];
          if (++index[axis] < dims_[axis]) break;
          row -= index[axis] * strides_[axis];
          index[axis] = 0;
        }
      }
    });
  }

  // The source runs along `turned` where the result runs along axis 0: strips of a cache line's width are read along
  // the one and written along the other. Strips as long as they are beat squares (measured at 1,000 and 4,000 a side).
  template <class E> void turn(const E* from, E* to, int turned) const {
    constexpr int64_t kStrip = 64 / static_cast<int64_t>(sizeof(E));
    int64_t to_step = 1, outer = 1;
    for (int axis = 0; axis < turned; ++axis) to_step *= dims_[axis];
    for (int axis = 1; axis < rank_; ++axis) outer *= axis == turned ? 1 : dims_[axis];
    int64_t strips = (dims_[turned] + kStrip - 1) / kStrip;
    int64_t strip_elements = dims_[0] * std::min(kStrip, dims_[turned]);
    parallel_for(outer * strips, row_grain(kCheapGrain, strip_elements), [=, this](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        int64_t j = item % strips * kStrip;
        int64_t rest = item / strips, in = j, out = j * to_step, out_stride = dims_[0];
        for (int axis = 1; axis < rank_; ++axis) {
          if (axis != turned) {
            in += rest % dims_[axis] * strides_[axis];
            out += rest % dims_[axis] * out_stride;
            rest /= dims_[axis];
          }
          out_stride *= dims_[axis];
        }
        turn_strip(from + in, strides_[0], to + out, to_step, dims_[0], std::min(kStrip, dims_[turned] - j));
      }
    });
  }

  // to[j, i] = from[i, j] for `columns` i and a few j.
  template <class E>
  static void turn_strip(const E* from, int64_t from_step, E* to, int64_t to_step, int64_t columns, int64_t rows) {
    constexpr int64_t kSide = Square<E>::kSide;
    int64_t whole_columns = columns / kSide * kSide, whole_rows = rows / kSide * kSide;
    for (int64_t i = 0; i < whole_columns; i += kSide) {
      for (int64_t j = 0; j < whole_rows; j += kSide) {
        Square<E>::turn(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
      }
    }
    for (int64_t j = whole_rows; j < rows; ++j) {
      for (int64_t i = 0; i < whole_columns; ++i) to[j * to_step + i] = from[i * from_step + j];
    }
    for (int64_t i = whole_columns; i < columns; ++i) {
      for (int64_t j = 0; j < rows; ++j) to[j * to_step + i] = from[i * from_step + j];
    }
  }

  // The source's offset of the result's row-th run of axes from `first_axis` on, and its index on each.
  int64_t start_of(int64_t row, int first_axis, int64_t* index) const {
    int64_t offset = 0;
    for (int axis = first_axis; axis < rank_; ++axis) {
      index[axis] = row % dims_[axis];
      row /= dims_[axis];
      offset += index[axis] * strides_[axis];
    }
    return offset;
  }

  int rank_ = 0;
  int64_t dims_[kMostAxes];
  int64_t strides_[kMostAxes];
};

}  // namespace lutra
