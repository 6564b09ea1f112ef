// Which axes an op works on: checked once, by its shape function, then read the same way by kernels and gradients.
#pragma once

#include "ops/attrs.h"

namespace lutra {

class Inference;

// How many elements the axes [from, to) have together. Unsigned: beside a 0 they may be anything.
inline int64_t product(const int64_t* dims, int64_t from, int64_t to) {
  uint64_t product = 1;
  for (int64_t i = from; i < to; ++i) product *= static_cast<uint64_t>(dims[i]);
  return static_cast<int64_t>(product);
}

// A tensor as an op sees it that works along an axis: what lies around it, its size, what lies within it.
struct Extent {
  int64_t outer, size, inner;
  static Extent around(const int64_t* dims, int rank, int axis) {
    return {product(dims, 0, axis), dims[axis], product(dims, axis + 1, rank)};
  }
  int64_t lines() const { return outer * inner; }
};

// Fails when more than one axis was given, or an empty list.
void require_one(const Inference& inference, const Axes& axes);
// The one axis that was asked for, `otherwise` if none was, of input 0; or in a tensor (called `owner`) of `rank` axes.
int one_axis(const Inference& inference, const Axes& axes, int64_t otherwise);
int one_axis(const Inference& inference, const Axes& axes, int rank, const char* owner, int64_t otherwise);

// The same of axes that have been checked.
inline int axis_of(const Axes& axes, int rank, int64_t otherwise) {
  int64_t axis = axes.given() ? axes.v[0] : otherwise;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// A bit an axis of `rank`; all of them when none was given. The axes have been checked.
inline uint32_t reduced_axes(const Axes& axes, int rank) {
  if (!axes.given()) return (1u << rank) - 1u;
  uint32_t mask = 0;
  for (int i = 0; i < axes.count; ++i) mask |= 1u << (axes.v[i] < 0 ? axes.v[i] + rank : axes.v[i]);
  return mask;
}

}  // namespace lutra
