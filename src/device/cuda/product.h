// A product of matrices that a card is to compute, as a kernel asks for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/precision.h"

namespace lutra::cuda {

// c (m, n) = a (m, k) b (k, n) + bias (n), all row-major, `batch` times; k is not 0 and nothing is empty. Rows as they
// lie in memory are lda, ldb and ldc elements apart, matrices of the batch step_a, step_b and step_c; a step of 0
// repeats an operand.
struct Product {
  DType operands, result;  // the same, or halves and float32
  MatmulPrecision precision = MatmulPrecision::Fp32;
  bool transpose_a = false, transpose_b = false;
  bool adds = false;  // to what c has
  int64_t m = 0, n = 0, k = 0;
  int64_t lda = 0, ldb = 0, ldc = 0;
  int64_t batch = 1, step_a = 0, step_b = 0, step_c = 0;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  const std::byte* bias = nullptr;  // of the result's type; null: none
  std::byte* c = nullptr;
  std::byte* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

}  // namespace lutra::cuda
