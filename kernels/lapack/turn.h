// Transposes, between LAPACK's matrices by columns and those by rows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lutra::lapack {

// to (columns, rows) is the transpose of from (rows, columns); their rows begin step_to and step_from apart.
template <class T> void turn(const T* from, int64_t step_from, int64_t rows, int64_t columns, T* to, int64_t step_to) {
  constexpr int64_t kBlock = 16;  // a cache line of `from` and of `to`
  for (int64_t top = 0; top < rows; top += kBlock) {
    for (int64_t left = 0; left < columns; left += kBlock) {
      int64_t bottom = std::min(top + kBlock, rows), right = std::min(left + kBlock, columns);
      for (int64_t j = left; j < right; ++j) {
        for (int64_t i = top; i < bottom; ++i) to[j * step_to + i] = from[i * step_from + j];
      }
    }
  }
}

}  // namespace lutra::lapack
