// Attributes of the ops of neural networks, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct SoftmaxAttrs {
  Axes axis;
};

// The axis softmax runs along: the last unless told.
inline int softmax_axis(const SoftmaxAttrs& attrs, int rank) {
  int64_t axis = attrs.axis.given() ? attrs.axis.v[0] : -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace lutra
