// Attributes of the ops that look elements up, put them in order or count them, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

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
struct SortAttrs {
  Axes axis;
  bool descending = false;
};
struct ArgsortAttrs {
  Axes axis;
  bool descending = false;
  IndexBase base;
};
struct TopKAttrs {
  int64_t k = 0;
  Axes axis;
  IndexBase base;
};

// The one axis of `rank` that was given, else `otherwise`. It has been checked.
inline int index_axis(const Axes& axes, int rank, int64_t otherwise) {
  int64_t axis = axes.given() ? axes.v[0] : otherwise;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace lutra
