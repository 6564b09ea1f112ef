// What shape functions of the ops that rearrange elements share.
#pragma once

#include "ops/inference.h"

namespace lutra {

// The one axis that was asked for, `otherwise` if none was, in a tensor (called `owner`) of `rank` axes.
inline int one_axis(const Inference& inference, const Axes& axes, int rank, const char* owner, int64_t otherwise) {
  require(!axes.is_list, inference.who(), ": axis is a list, expected one axis");
  int64_t asked = axes.given() ? axes.v[0] : otherwise;
  int64_t axis = asked < 0 ? asked + rank : asked;
  require(axis >= 0 && axis < rank, inference.who(), ": axis ", inference.shown(asked), " is not there: ", owner,
          " has ", rank, rank == 1 ? " axis" : " axes");
  return static_cast<int>(axis);
}

}  // namespace lutra
