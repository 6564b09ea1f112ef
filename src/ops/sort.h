// Attributes of the sorting ops, as their kernels read them, and what their entries share.
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

// The axis to sort along: the last unless another was given.
int sorted_axis(const Inference& inference, const Axes& axes);
// Adds dy to the input's gradient; `places` has the index along the axis where each element was.
void add_to_places(Gradient& g, const Axes& axis, const Value& places, IndexBase base);

}  // namespace lutra
