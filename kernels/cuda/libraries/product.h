// A matrix product for a card to compute.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/precision.h"

namespace lutra::cuda {

// c (m, n) = a (m, k) b (k, n) + bias (n), all row-major, `batch` times; k is not 0 and nothing is empty. Rows in
// memory are lda, ldb and ldc elements apart; the matrices of a batch are step_a, step_b and step_c apart. A step of 0
// repeats an operand.
struct Product {
  DType operands, result;  // the same, or halves with a float32 result
  MatmulPrecision precision = MatmulPrecision::Fp32;
  bool transpose_a = false, transpose_b = false;
  bool adds = false;  // adds to c's content
  int64_t m = 0, n = 0, k = 0;
  int64_t lda = 0, ldb = 0, ldc = 0;
  int64_t batch = 1, step_a = 0, step_b = 0, step_c = 0;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  const std::byte* bias = nullptr;  // of the result's dtype; null: none
  std::byte* c = nullptr;
  std::byte* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

}  // namespace lutra::cuda
