// The matrices of an operand under the result's batch axes: which of them meets which.
#pragma once

#include "ops/kernel.h"

namespace lutra {

class Batch {
 public:
  // `rank`: of the result's batch. An operand has its own batch axes at the end of those; where it has one of size 1,
  // or none, its matrix repeats.
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
  // How far the operand's matrices lie apart along an axis of the result's batch; 0: its matrix repeats.
  int64_t stride(int axis) const { return strides_[axis]; }
  // Where the operand's matrix for the result's begins, in elements.
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
