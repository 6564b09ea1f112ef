// The sizes of a matrix product, shared by the shape function, the kernels and the cost.
#pragma once

#include <cstdint>

namespace lutra {

struct Call;

struct MatMulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
};

// One product of the batch, c (m, n) = a (m, k) b (k, n). A row of `a` as it lies in memory is lda elements long.
struct MatMulSizes {
  int64_t m, n, k;
  int64_t k_of_b;  // equal to k once the shapes are checked
  int64_t lda, ldb;
  bool transpose_a, transpose_b;  // false for a vector, whatever the options are
};

inline MatMulSizes matmul_sizes(const MatMulAttrs& attrs, const int64_t* a, int rank_a, const int64_t* b, int rank_b) {
  MatMulSizes s;
  s.transpose_a = attrs.transpose_a && rank_a > 1;
  s.transpose_b = attrs.transpose_b && rank_b > 1;
  int64_t rows_a = rank_a > 1 ? a[rank_a - 2] : 1, columns_a = a[rank_a - 1];
  int64_t rows_b = rank_b > 1 ? b[rank_b - 2] : b[0], columns_b = rank_b > 1 ? b[rank_b - 1] : 1;
  s.lda = columns_a;
  s.ldb = columns_b;
  s.m = s.transpose_a ? columns_a : rows_a;
  s.k = s.transpose_a ? rows_a : columns_a;
  s.k_of_b = s.transpose_b ? columns_b : rows_b;
  s.n = s.transpose_b ? rows_b : columns_b;
  return s;
}

// "MatMul", or "BatchMatMulV2" when an operand has more than two axes.
const char* matmul_logged(const Call& call);

}  // namespace lutra
