// Attributes of the ops that look elements up, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct GatherAttrs {
  Axes axis;
  IndexBase base;
};
struct UniqueAttrs {
  IndexBase base;
};

// The axis gather picks along.
inline int gather_axis(const GatherAttrs& attrs, int rank) {
  int64_t axis = attrs.axis.given() ? attrs.axis.v[0] : 0;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace lutra
