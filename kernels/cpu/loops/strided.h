// Copies strided elements into a contiguous result: transposes and slices. Only bytes move, so there is one version per
// element size.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/transpose.h"

namespace lutra {

// The order in which the source is read, in elements. Axis 0 is the result's innermost axis. Neighbouring axes that the
// source traverses as one are merged.
class StridedCopy {
 public:
  static constexpr int kMostAxes = 49;  // more than tensors have, for einsum's intermediate products

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

  // `from` is the first element to copy. The result must not be empty.
  void run(std::size_t element_bytes, const std::byte* from, std::byte* to) {
    if (rank_ == 0) {
      dims_[0] = 1;
      strides_[rank_++] = 1;
    }
    if (element_bytes == 16) return halves().run(8, from, to);
    by_size(element_bytes, [&]<class E>(TypeTag<E>) {
      if constexpr (sizeof(E) <= 8) run_as<E>(from, to);
    });
  }

 private:
  // The same copy of elements of half the size, of which each pair lies together.
  StridedCopy halves() const {
    StridedCopy out;
    out.push(2, 1);
    for (int axis = 0; axis < rank_; ++axis) out.push(dims_[axis], 2 * strides_[axis]);
    return out;
  }

  template <class E> void run_as(const std::byte* from_bytes, std::byte* to_bytes) const {
    const E* from = reinterpret_cast<const E*>(from_bytes);
    E* to = reinterpret_cast<E*>(to_bytes);
    // An element repeated over a cache line or more counts as a row, too.
    bool is_rows = strides_[0] == 1 || (strides_[0] == 0 && dims_[0] * static_cast<int64_t>(sizeof(E)) >= 64);
    for (int axis = 1; axis < rank_ && !is_rows; ++axis) {
      if (strides_[axis] == 1) return turn(from, to, axis);
    }
    copy_rows(from, to);
  }

  // Threads get equal numbers of elements, not of rows: one long row is divided too.
  template <class E> void copy_rows(const E* from, E* to) const {
    int64_t length = dims_[0], count = 1;
    for (int axis = 0; axis < rank_; ++axis) count *= dims_[axis];
    if (strides_[0] == 1 && rank_ > 1) {
      int64_t bytes = length * static_cast<int64_t>(sizeof(E));
      if (bytes >= 8 && bytes <= 16) return copy_short<8>(from, to, count / length);
      if (bytes > 16 && bytes <= 32) return copy_short<16>(from, to, count / length);
      if (bytes > 32 && bytes <= 64) return copy_short<32>(from, to, count / length);
    }
    parallel_for(count, kCheapGrain, [=, this](int64_t begin, int64_t end) {
      int64_t index[kMostAxes];
      const E* row = from + start_of(begin / length, 1, index);
      int64_t at = begin % length;
      while (begin < end) {
        int64_t n = std::min(length - at, end - begin);
        copy_run(row + at * strides_[0], strides_[0], to + begin, n);
        begin += n;
        at = 0;
        for (int axis = 1; axis < rank_; ++axis) {
          row += strides_[axis];
          if (++index[axis] < dims_[axis]) break;
          row -= index[axis] * strides_[axis];
          index[axis] = 0;
        }
      }
    });
  }

  // Copies rows of kPart to 2 kPart bytes, each by two copies that may overlap: a call of memcpy would cost more.
  template <int64_t kPart, class E> void copy_short(const E* from, E* to, int64_t rows) const {
    int64_t length = dims_[0], second = length - kPart / static_cast<int64_t>(sizeof(E));
    parallel_for(rows, row_grain(kCheapGrain, length), [=, this](int64_t begin, int64_t end) {
      int64_t index[kMostAxes];
      const E* row = from + start_of(begin, 1, index);
      E* at = to + begin * length;
      while (begin < end) {
        int64_t n = std::min(dims_[1] - index[1], end - begin), step = strides_[1];
        for (int64_t i = 0; i < n; ++i, at += length, row += step) {
          std::memcpy(at, row, kPart);
          std::memcpy(at + second, row + second, kPart);
        }
        begin += n;
        row -= (index[1] + n) * step;  // back to the axis's first
        index[1] = 0;
        for (int axis = 2; axis < rank_; ++axis) {
          row += strides_[axis];
          if (++index[axis] < dims_[axis]) break;
          row -= index[axis] * strides_[axis];
          index[axis] = 0;
        }
      }
    });
  }

  // Writes whole cache lines; the last may overlap the one before.
  template <class E> static void repeat(E value, E* to, int64_t n) {
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(E));
    if (n < kLine) {
      for (int64_t i = 0; i < n; ++i) to[i] = value;
      return;
    }
    E line[kLine];
    for (int64_t i = 0; i < kLine; ++i) line[i] = value;
    for (int64_t i = 0; i + kLine <= n; i += kLine) std::memcpy(to + i, line, sizeof line);
    std::memcpy(to + n - kLine, line, sizeof line);
  }

  template <class E> static void copy_run(const E* from, int64_t stride, E* to, int64_t n) {
    if (stride == 1) {
      copy_bytes(to, from, n * static_cast<int64_t>(sizeof(E)));
    } else if (stride == 0) {
      repeat(*from, to, n);
    } else if (stride == -1) {
      if constexpr (sizeof(E) == 1) {
        for (; n >= 8; n -= 8, from -= 8, to += 8) {
          uint64_t eight;
          std::memcpy(&eight, from - 7, sizeof eight);
          eight = __builtin_bswap64(eight);
          std::memcpy(to, &eight, sizeof eight);
        }
      }
      for (int64_t i = 0; i < n; ++i) to[i] = from[-i];
    } else {
      for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
    }
  }

  // The source is contiguous along axis `turned`, the result along axis 0. Strips of a cache line's width are read
  // along `turned` and written along axis 0. Strips of full length beat squares (measured at 1,000 and 4,000 a side).
  template <class E> void turn(const E* from, E* to, int turned) const {
    constexpr int64_t kFewStrips = 16, kStrip = kLineOf<E>;
    int64_t to_step = 1, outer = 1;
    for (int axis = 0; axis < turned; ++axis) to_step *= dims_[axis];
    for (int axis = 1; axis < rank_; ++axis) outer *= axis == turned ? 1 : dims_[axis];
    int64_t strips = (dims_[turned] + kStrip - 1) / kStrip;
    // If there are only a few strips, they are cut so that every thread has work.
    int64_t width = std::min(kStrip, dims_[turned]), length = dims_[0];
    if (outer * strips < kFewStrips) length = std::min(length, (kCheapGrain / 2 / width + 63) / 64 * 64);
    int64_t parts = (dims_[0] + length - 1) / length;
    parallel_for(outer * strips * parts, row_grain(kCheapGrain, length * width), [=, this](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        int64_t first = item % parts * length, j = item / parts % strips * kStrip;
        int64_t rest = item / parts / strips, in = j + first * strides_[0], out = j * to_step + first;
        int64_t out_stride = dims_[0];
        for (int axis = 1; axis < rank_; ++axis) {
          if (axis != turned) {
            in += rest % dims_[axis] * strides_[axis];
            out += rest % dims_[axis] * out_stride;
            rest /= dims_[axis];
          }
          out_stride *= dims_[axis];
        }
        transpose_strip(from + in, strides_[0], std::min(length, dims_[0] - first), std::min(kStrip, dims_[turned] - j),
                        to + out, to_step);
      }
    });
  }

  // The source's offset where run number `row` begins, counted over the axes from `first_axis` on, and its index on
  // each axis.
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
