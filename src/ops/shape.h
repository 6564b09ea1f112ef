// Attributes of reshape, transpose and the ops that add, remove or join axes, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct ReshapeAttrs {
  Dims shape;
};
struct TransposeAttrs {
  Axes perm;
};
// squeeze, expand_dims, concat, stack
struct AxisAttrs {
  Axes axis;
};

}  // namespace lutra
