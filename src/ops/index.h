// Attributes of the ops that look elements up by their place, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

class Inference;

// gather, take_along_axis
struct GatherAttrs {
  Axes axis;
  IndexBase base;
};
// Ops whose only option is what the first index is.
struct IndexAttrs {
  IndexBase base;
};
// Gradients of ops that pick: zeros of `shape` with what belongs to each element added.
struct ScatterAttrs {
  Dims shape;
  int64_t axis = 0;  // from 0 on
  IndexBase base;
};
// "gather: x (2, 3) and indices (4,) make 9 axes ..." when they do.
void require_axes(const Inference& inference, int count);

}  // namespace lutra
