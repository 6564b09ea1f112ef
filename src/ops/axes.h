// Which axes an op works on. Its shape function checks them once; kernels and gradients then read them the same way.
#pragma once

#include "ops/attrs.h"

namespace lutra {

class Inference;

// The product of the sizes of axes [from, to). Unsigned, as it may overflow when another axis has size 0.
inline int64_t product(const int64_t* dims, int64_t from, int64_t to) {
  uint64_t product = 1;
  for (int64_t i = from; i < to; ++i) product *= static_cast<uint64_t>(dims[i]);
  return static_cast<int64_t>(product);
}

// A tensor seen along one axis: the product of the sizes before it, its own size, the product of the sizes after it.
struct Extent {
  int64_t outer, size, inner;
  static Extent around(const int64_t* dims, int rank, int axis) {
    return {product(dims, 0, axis), dims[axis], product(dims, axis + 1, rank)};
  }
  int64_t lines() const { return outer * inner; }
};

// Throws if more than one axis was given, or an empty list.
void require_one(const Inference& inference, const Axes& axes);
// The one axis that was given, or `otherwise` if none was: of input 0, or of a tensor of `rank` axes that errors call
// `owner`.
int one_axis(const Inference& inference, const Axes& axes, int64_t otherwise);
int one_axis(const Inference& inference, const Axes& axes, int rank, const char* owner, int64_t otherwise);

// The same as one_axis, for axes that have been checked.
inline int axis_of(const Axes& axes, int rank, int64_t otherwise) {
  int64_t axis = axes.given() ? axes.v[0] : otherwise;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The shape of input 0 for ops that go along one axis: flattened if no axis was given.
Shape running_shape(const Inference& inference, const Axes& axes);

// One bit per axis; all `rank` bits if none was given. The axes have been checked.
inline uint32_t reduced_axes(const Axes& axes, int rank) {
  if (!axes.given()) return (1u << rank) - 1u;
  uint32_t mask = 0;
  for (int i = 0; i < axes.count; ++i) mask |= 1u << (axes.v[i] < 0 ? axes.v[i] + rank : axes.v[i]);
  return mask;
}

}  // namespace lutra
