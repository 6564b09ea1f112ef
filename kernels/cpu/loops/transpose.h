// Transposes of matrices. Only bytes move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lutra {

// Transposes a square of kSide x kSide elements of so many bytes in registers.
template <std::size_t kBytes> struct Square {
  static constexpr int kSide = 1;
  template <class E> static void transpose(const E* from, int64_t, E* to, int64_t) { *to = *from; }
};

template <> struct Square<1> {
  static constexpr int kSide = 8;
  template <class E> static void transpose(const E* from, int64_t from_step, E* to, int64_t to_step) {
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

template <> struct Square<2> {
  static constexpr int kSide = 8;
  template <class E> static void transpose(const E* from, int64_t from_step, E* to, int64_t to_step) {
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
        E* at = to + (4 * half + 2 * i) * to_step;
        std::memcpy(at, &first, sizeof first);
        std::memcpy(at + to_step, &second, sizeof second);
      }
    }
  }
};

template <> struct Square<4> {
  static constexpr int kSide = 4;
  template <class E> static void transpose(const E* from, int64_t from_step, E* to, int64_t to_step) {
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

template <> struct Square<8> {
  static constexpr int kSide = 2;
  template <class E> static void transpose(const E* from, int64_t from_step, E* to, int64_t to_step) {
    using Pairs = uint64_t __attribute__((vector_size(16)));
    Pairs row[2], column[2];
    for (int i = 0; i < 2; ++i) std::memcpy(&row[i], from + i * from_step, sizeof row[i]);
    column[0] = __builtin_shufflevector(row[0], row[1], 0, 2);
    column[1] = __builtin_shufflevector(row[0], row[1], 1, 3);
    for (int i = 0; i < 2; ++i) std::memcpy(to + i * to_step, &column[i], sizeof column[i]);
  }
};

// The elements of a cache line.
template <class E> inline constexpr int64_t kLineOf = 64 / static_cast<int64_t>(sizeof(E));

// to (columns, rows) is the transpose of from (rows, columns), which has only a few columns. Rows begin `step_to` and
// `step_from` apart.
template <class E>
void transpose_strip(const E* from, int64_t step_from, int64_t rows, int64_t columns, E* to, int64_t step_to) {
  constexpr int64_t kSide = Square<sizeof(E)>::kSide;
  const int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
  for (int64_t i = 0; i < whole_rows; i += kSide) {
    for (int64_t j = 0; j < whole_columns; j += kSide) {
      Square<sizeof(E)>::transpose(from + i * step_from + j, step_from, to + j * step_to + i, step_to);
    }
  }
  for (int64_t j = whole_columns; j < columns; ++j) {
    for (int64_t i = 0; i < whole_rows; ++i) to[j * step_to + i] = from[i * step_from + j];
  }
  for (int64_t i = whole_rows; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[j * step_to + i] = from[i * step_from + j];
  }
}

// The same for any number of columns, on one thread.
template <class E>
void transpose(const E* from, int64_t step_from, int64_t rows, int64_t columns, E* to, int64_t step_to) {
  for (int64_t j = 0; j < columns; j += kLineOf<E>) {
    transpose_strip(from + j, step_from, rows, std::min(kLineOf<E>, columns - j), to + j * step_to, step_to);
  }
}

}  // namespace lutra
