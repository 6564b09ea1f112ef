// Attributes of the reductions, as their kernels read them, and what their entries share.
#pragma once

#include "ops/attrs.h"

namespace lutra {

class Builder;
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

// Helpers for gradient rules. The reduced value with its axes restored at size 1, so that it broadcasts to the input.
Value with_axes(Gradient& g, Value reduced);
// The same value, in float32 if intermediate results in its half precision would lose too much.
Value unhalved(Builder& builder, Value value);
// dy / y, but 0 where y is 0; in a form whose own gradient is not nan there either.
Value over_result(Gradient& g, Value dy, Value y);
// `x` without the axes of the mask, or with size 1 in their place; result_shape does so for the op's own axes.
Shape reduced_shape(const Shape& x, uint32_t mask, bool keepdims);
Shape result_shape(const Inference& inference);
// Throws if an axis of the mask has size 0, even if the result is empty, too. For reductions that have no value for no
// elements.
void require_elements(const Inference& inference, uint32_t mask);
// Declares one output: the key dtype in result_shape.
void reduced_like_key(Inference& inference);
// The same in the dtype of a complex key's parts.
void reduced_to_real(Inference& inference);

// The options of reductions.
template <class A> AttrDef axis_option() {
  return attr("axis", &A::axis, "an axis or a list of axes to reduce over").positional().otherwise("all");
}
template <class A> AttrDef keepdims_option() {
  return attr("keepdims", &A::keepdims, "leave axes of size 1 in their place").otherwise("false");
}

inline constexpr const char* kReducedFraction = "x's shape without the axes; float32 for integers, else x's dtype";
inline constexpr const char* kReducedReal =
    "x's shape without the axes; float32 for integers, the dtype of the parts of complex numbers, else x's dtype";

}  // namespace lutra
