// Attributes of the ops that take axes away, and which axes those are: read the same way by shape functions and
// kernels.
#pragma once

#include "ops/attrs.h"

namespace lutra {

class Gradient;
class Inference;
class OpRegistry;
class Shape;
class Value;
struct Cost;
struct KernelArgs;

struct ReduceAttrs {
  Axes axis;
  bool keepdims = false;
};
// var, std
struct VarAttrs : ReduceAttrs {
  int64_t ddof = 0;
};
struct NormAttrs : ReduceAttrs {
  double ord = 2;  // 1, 2 or infinity
};
// cumsum, cumprod; without an axis over the flattened tensor
struct ScanAttrs {
  Axes axis;
  bool exclusive = false;  // without the element itself
  bool reverse = false;
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

// Rules are written with these. A reduced value with its axes of one element back, so that it broadcasts to the input.
Value with_axes(Gradient& g, Value reduced);
// The same value, in float32 where halves would lose too much on the way.
Value unhalved(Gradient& g, Value value);
// What a flop an element that goes in costs.
Cost reduction_cost(const KernelArgs& args);
// x's shape without the reduced axes, or with size 1 in their place.
Shape result_shape(const Inference& inference);

}  // namespace lutra
