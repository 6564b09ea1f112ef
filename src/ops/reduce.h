// Attributes of the ops that take axes away, as their kernels read them, and what their entries share.
#pragma once

#include "ops/attrs.h"

namespace lutra {

class Gradient;
class Inference;
class OpRegistry;
class Shape;
class Value;

struct ReduceAttrs {
  Axes axis;
  bool keepdims = false;
};
// var, std
struct VarAttrs : ReduceAttrs {
  int64_t ddof = 0;
};

// Rules are written with these. A reduced value with its axes of one element back, so that it broadcasts to the input.
Value with_axes(Gradient& g, Value reduced);
// The same value, in float32 where halves would lose too much on the way.
Value unhalved(Gradient& g, Value value);
// dy / y, but 0 where y is 0; in a form whose own gradient is a number there, too.
Value over_result(Gradient& g, Value dy, Value y);
// `x` without the axes of the mask, or with size 1 in their place; of the op's axes in the second form.
Shape reduced_shape(const Shape& x, uint32_t mask, bool keepdims);
Shape result_shape(const Inference& inference);
// An axis of the mask has no elements: refused where nothing has no value, even if the result has no elements either.
void require_elements(const Inference& inference, uint32_t mask);
// One output: the key dtype in that shape.
void reduced_like_key(Inference& inference);

// The options of entries that take axes away.
template <class A> AttrDef axis_option() {
  return attr("axis", &A::axis, "an axis or a list of axes to take away").positional().otherwise("all");
}
template <class A> AttrDef keepdims_option() {
  return attr("keepdims", &A::keepdims, "leave axes of size 1 in their place").otherwise("false");
}

inline constexpr const char* kReducedFraction = "x's shape without the axes; float32 for integers, else x's dtype";

}  // namespace lutra
