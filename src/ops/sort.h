// Attributes of the ops that put elements in order, as their kernels read them, and what their entries share.
#pragma once

#include "ops/index.h"

namespace lutra {

class Gradient;
class Value;

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

// The axis to put in order: the last unless another was given.
int sorted_axis(const Inference& inference, const Axes& axes);
// dy goes back along the axis to where `places` says that each element was.
void add_to_places(Gradient& g, const Axes& axis, const Value& places, IndexBase base);

}  // namespace lutra
