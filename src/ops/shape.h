// Attributes of the ops that change how a tensor's elements are arranged.
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
