// Attributes of the ops on matrices, and the sizes that their kernels read.
#pragma once

#include "ops/attrs.h"

namespace lutra {

// diag, triu, tril. Which diagonal: 0 the main one, above it positive.
struct DiagonalAttrs {
  int64_t k = 0;
};
// DiagGrad: the matrix that a diagonal came from.
struct DiagonalOfAttrs {
  int64_t k = 0;
  int64_t rows = 0, columns = 0;
};

// The k-th diagonal of a matrix: its first element's position and its length. Any k is valid; outside the matrix the
// diagonal is empty.
struct Diagonal {
  int64_t row, column, length;
};
inline Diagonal diagonal_of(int64_t rows, int64_t columns, int64_t k) {
  if (k <= -rows || k >= columns) return {0, 0, 0};
  Diagonal d{k < 0 ? -k : 0, k > 0 ? k : 0, 0};
  int64_t down = rows - d.row, along = columns - d.column;
  d.length = down < along ? down : along;
  return d;
}

}  // namespace lutra
