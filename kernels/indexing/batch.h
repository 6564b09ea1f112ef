// Batches of matrices: finds the operand's matrix for each matrix of the result, with broadcast batch axes.
#pragma once

#include "ops/kernel.h"

namespace lutra {

class Batch {
 public:
  // `rank`: of the result's batch. An operand's batch axes are aligned with the last of the result's; where one has
  // size 1 or is missing, the matrix repeats.
  Batch(const Array& operand, const int64_t* dims, int rank) : dims_(dims), rank_(rank) {
    int own_rank = operand.rank > 2 ? operand.rank - 2 : 0;
    int64_t step = operand.rank > 1 ? operand.dims[operand.rank - 1] * operand.dims[operand.rank - 2] : operand.dims[0];
    for (int axis = rank - 1; axis >= 0; --axis) {
      int own = axis - (rank - own_rank);
      int64_t size = own >= 0 ? operand.dims[own] : 1;
      strides_[axis] = size == 1 ? 0 : step;
      step *= size;
    }
  }
  // The distance between the operand's matrices along an axis of the result's batch; 0: the matrix repeats.
  int64_t stride(int axis) const { return strides_[axis]; }
  // The offset in elements of the operand's matrix for matrix number `result`.
  int64_t offset(int64_t result) const {
    int64_t offset = 0;
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      offset += result % dims_[axis] * strides_[axis];
      result /= dims_[axis];
    }
    return offset;
  }

 private:
  const int64_t* dims_;
  int rank_;
  int64_t strides_[kMaxRank];
};

}  // namespace lutra
