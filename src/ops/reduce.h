// Attributes of the ops that take axes away, and which axes those are: read the same way by shape functions and
// kernels.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct ReduceAttrs {
  Axes axis;
  bool keepdims = false;
};
struct ArgMaxAttrs {
  Axes axis;
  bool keepdims = false;
  IndexBase base;
};

// A bit an axis of `rank`; all of them when none was given. The axes have been checked.
inline uint32_t reduced_axes(const Axes& axes, int rank) {
  if (!axes.given()) return (1u << rank) - 1u;
  uint32_t mask = 0;
  for (int i = 0; i < axes.count; ++i) mask |= 1u << (axes.v[i] < 0 ? axes.v[i] + rank : axes.v[i]);
  return mask;
}

}  // namespace lutra
