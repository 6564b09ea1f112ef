// Reads inputs as rows along the last axis, in the type they are computed in, broadcast to a shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

// Rows and columns of an array: its last axis, and all others. A scalar is a row of one.
struct RowSizes {
  int64_t rows, columns;
  explicit RowSizes(const Array& array) : columns(array.rank > 0 ? array.dims[array.rank - 1] : 1) {
    rows = 1;
    for (int i = 0; i < array.rank - 1; ++i) rows *= array.dims[i];
  }
};

// Loads and stores elements; halves become floats and back.
template <class T> void load(const T* from, int64_t n, ComputeType<T>* __restrict to) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<ComputeType<T>>(from[i]);
}
template <class T> void store(const ComputeType<T>* __restrict from, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i]);
}
// n elements in C: `from` itself if it has that type, else a copy in `room`.
template <class T> const ComputeType<T>* loaded(const T* from, int64_t n, ComputeType<T>* room) {
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    return from;
  } else {
    load(from, n, room);
    return room;
  }
}

// The rows of one input. If the input has the shape itself, the offset of row r is one multiplication.
template <class T> class Rows {
 public:
  using C = ComputeType<T>;

  // `dims`, of `rank` >= 1 axes, is the shape that the array is broadcast to.
  Rows(const Array& array, const int64_t* dims, int rank)
      : data_(array.as<T>()), dims_(dims), rank_(rank), columns_(dims[rank - 1]) {
    int64_t step = 1, size = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      int own = axis - (rank - array.rank);
      int64_t own_size = own >= 0 ? array.dims[own] : 1;
      strides_[axis] = own_size == 1 ? 0 : step;
      step *= own_size;
      size *= dims[axis];
    }
    is_plain_ = array.size == size;
    repeats_ = columns_ != 1 && strides_[rank - 1] == 0;
  }

  // The row itself, or its copy in `room`, which has space for one.
  const C* row(int64_t r, C* room) const { return part(r, 0, columns_, room); }
  // `count` elements of the row, from `first` on.
  const C* part(int64_t r, int64_t first, int64_t count, C* room) const {
    const T* at = data_ + offset(r);
    if (repeats_) {
      std::fill(room, room + count, static_cast<C>(*at));
      return room;
    }
    return loaded(at + first, count, room);
  }
  // The buffer that row() may need.
  std::vector<C> room() const {
    bool needs = repeats_ || !std::is_same_v<T, C>;
    return std::vector<C>(needs ? static_cast<std::size_t>(columns_) : 0);
  }

 private:
  int64_t offset(int64_t r) const {
    if (is_plain_) return r * columns_;
    int64_t offset = 0;
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      offset += r % dims_[axis] * strides_[axis];
      r /= dims_[axis];
    }
    return offset;
  }

  const T* data_;
  const int64_t* dims_;
  int rank_;
  int64_t columns_;
  int64_t strides_[kMaxRank];
  bool is_plain_, repeats_;
};

// A row of results: written in place if T is computed in T, else kept in a buffer until done() stores it.
template <class T> class RowOut {
 public:
  using C = ComputeType<T>;
  explicit RowOut(int64_t columns)
      : columns_(columns), room_(std::is_same_v<T, C> ? 0 : static_cast<std::size_t>(columns)) {}
  C* row(T* at) {
    if constexpr (std::is_same_v<T, C>) return at;
    else return room_.data();
  }
  void done(T* at) {
    if constexpr (!std::is_same_v<T, C>) store(room_.data(), columns_, at);
  }

 private:
  int64_t columns_;
  std::vector<C> room_;
};

// Rows in a block of sum_rows. Each block is summed in runs of 32 rows, before the blocks are added up.
inline constexpr int64_t kRowsTogether = 256;

// How many doubles sum_rows needs.
inline int64_t row_partials(int64_t rows, int64_t columns) {
  return (rows + kRowsTogether - 1) / kRowsTogether * columns;
}

// out[k] = the sum over rows r of what add(r, run) adds to run[k]. `prepare()` makes an `add` for each thread. Runs are
// summed in C, and their sums added up in double in a fixed order.
template <class T, class Prepare>
void sum_rows(int64_t rows, int64_t columns, double* partials, T* out, const Prepare& prepare) {
  using C = ComputeType<T>;
  int64_t blocks = (rows + kRowsTogether - 1) / kRowsTogether;
  parallel_for(blocks, row_grain(kCheapGrain, kRowsTogether * columns), [&](int64_t begin, int64_t end) {
    std::vector<C> run(static_cast<std::size_t>(columns));
    auto add = prepare();
    for (int64_t block = begin; block < end; ++block) {
      double* sum = partials + block * columns;
      std::fill(sum, sum + columns, 0.0);
      int64_t last = std::min(rows, (block + 1) * kRowsTogether);
      for (int64_t first = block * kRowsTogether; first < last; first += 32) {
        std::fill(run.begin(), run.end(), C(0));
        for (int64_t r = first; r < std::min(last, first + 32); ++r) add(r, run.data());
        for (int64_t k = 0; k < columns; ++k) sum[k] += static_cast<double>(run[static_cast<std::size_t>(k)]);
      }
    }
  });
  parallel_for(columns, row_grain(kCheapGrain, blocks + 1), [=](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      double sum = 0;
      for (int64_t block = 0; block < blocks; ++block) sum += partials[block * columns + k];
      out[k] = static_cast<T>(static_cast<C>(sum));
    }
  });
}

}  // namespace lutra
