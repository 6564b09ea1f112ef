// Copies strided elements into a contiguous result: transposes and slices. Only bytes move, so there is one version per
// element size.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

// Transposes a square of kSide x kSide elements in registers.
template <class E> struct TurnedSquare {
  static constexpr int kSide = 1;
  static void turn(const E* from, int64_t, E* to, int64_t) { *to = *from; }
};

template <> struct TurnedSquare<uint8_t> {
  static constexpr int kSide = 8;
  static void turn(const uint8_t* from, int64_t from_step, uint8_t* to, int64_t to_step) {
    using Bytes = uint8_t __attribute__((vector_size(16)));
    using Halves = uint16_t __attribute__((vector_size(16)));
    using Words = uint32_t __attribute__((vector_size(16)));
    using Pairs = uint64_t __attribute__((vector_size(16)));
    // Half registers are loaded through integers: going through memory would stall.
    auto row = [&](int i) {
      uint64_t eight;
      std::memcpy(&eight, from + i * from_step, sizeof eight);
      return Bytes(Pairs{eight, 0});
    };
    // Interleaves pairs of rows, then fours, then all eight. In the end each register holds two columns.
    Halves pair[4];
    for (int i = 0; i < 4; ++i) {
      pair[i] = Halves(
          __builtin_shufflevector(row(2 * i), row(2 * i + 1), 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    }
    Words low[2], high[2];
    for (int i = 0; i < 2; ++i) {
      low[i] = Words(__builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11));
      high[i] = Words(__builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15));
    }
    Pairs columns[4] = {Pairs(__builtin_shufflevector(low[0], low[1], 0, 4, 1, 5)),
                        Pairs(__builtin_shufflevector(low[0], low[1], 2, 6, 3, 7)),
                        Pairs(__builtin_shufflevector(high[0], high[1], 0, 4, 1, 5)),
                        Pairs(__builtin_shufflevector(high[0], high[1], 2, 6, 3, 7))};
    for (int i = 0; i < 4; ++i) {
      for (int half = 0; half < 2; ++half) {
        uint64_t eight = columns[i][half];
        std::memcpy(to + (2 * i + half) * to_step, &eight, sizeof eight);
      }
    }
  }
};

template <> struct TurnedSquare<uint16_t> {
  static constexpr int kSide = 8;
  static void turn(const uint16_t* from, int64_t from_step, uint16_t* to, int64_t to_step) {
    using Halves = uint16_t __attribute__((vector_size(16)));
    using Words = uint32_t __attribute__((vector_size(16)));
    using Pairs = uint64_t __attribute__((vector_size(16)));
    Halves row[8];
    for (int i = 0; i < 8; ++i) std::memcpy(&row[i], from + i * from_step, sizeof row[i]);
    // Columns 0 to 3 (index 0) and 4 to 7 (index 1): of two rows, then of four, then of all eight.
    Words two[4][2];
    for (int i = 0; i < 4; ++i) {
      two[i][0] = Words(__builtin_shufflevector(row[2 * i], row[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11));
      two[i][1] = Words(__builtin_shufflevector(row[2 * i], row[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15));
    }
    for (int half = 0; half < 2; ++half) {
      Pairs four[2][2];
      for (int i = 0; i < 2; ++i) {
        four[i][0] = Pairs(__builtin_shufflevector(two[2 * i][half], two[2 * i + 1][half], 0, 4, 1, 5));
        four[i][1] = Pairs(__builtin_shufflevector(two[2 * i][half], two[2 * i + 1][half], 2, 6, 3, 7));
      }
      for (int i = 0; i < 2; ++i) {
        Pairs first = __builtin_shufflevector(four[0][i], four[1][i], 0, 2);
        Pairs second = __builtin_shufflevector(four[0][i], four[1][i], 1, 3);
        uint16_t* at = to + (4 * half + 2 * i) * to_step;
        std::memcpy(at, &first, sizeof first);
        std::memcpy(at + to_step, &second, sizeof second);
      }
    }
  }
};

template <> struct TurnedSquare<uint32_t> {
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

template <> struct TurnedSquare<uint64_t> {
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
    constexpr int64_t kFewStrips = 16, kStrip = 64 / static_cast<int64_t>(sizeof(E));
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
        turn_strip(from + in, strides_[0], to + out, to_step, std::min(length, dims_[0] - first),
                   std::min(kStrip, dims_[turned] - j));
      }
    });
  }

  // to[j, i] = from[i, j] for i < columns and j < rows; there are only a few rows.
  template <class E>
  static void turn_strip(const E* from, int64_t from_step, E* to, int64_t to_step, int64_t columns, int64_t rows) {
    constexpr int64_t kSide = TurnedSquare<E>::kSide;
    int64_t whole_columns = columns / kSide * kSide, whole_rows = rows / kSide * kSide;
    for (int64_t i = 0; i < whole_columns; i += kSide) {
      for (int64_t j = 0; j < whole_rows; j += kSide) {
        TurnedSquare<E>::turn(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
      }
    }
    for (int64_t j = whole_rows; j < rows; ++j) {
      for (int64_t i = 0; i < whole_columns; ++i) to[j * to_step + i] = from[i * from_step + j];
    }
    for (int64_t i = whole_columns; i < columns; ++i) {
      for (int64_t j = 0; j < rows; ++j) to[j * to_step + i] = from[i * from_step + j];
    }
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
