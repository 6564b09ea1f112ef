// Attributes of the ops that look up elements by index, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

class Error;
class Inference;
struct Fault;

// gather, take_along_axis
struct GatherAttrs {
  Axes axis;
  IndexBase base;
};
// Ops whose only option is the number of the first index.
struct IndexAttrs {
  IndexBase base;
};
// Gradients of ops that pick elements: zeros of `shape`, to which each picked element's gradient is added.
struct ScatterAttrs {
  Dims shape;
  int64_t axis = 0;  // from 0 on
  IndexBase base;
  bool operator==(const ScatterAttrs&) const = default;
};
// Throws "gather: x (2, 3) and indices (4,) make 9 axes ..." if `count` is too large.
void require_axes(const Inference& inference, int count);
// "gather: index 7 is past the axis' end (5)". Fault::value: the index; limit: the axis' size, or -1 for the index 0
// where indices count from 1.
Error wrong_index(const char* op, const Fault& fault);
// "embedding: id 7 is not there: there are 5 rows", for numbers that count from 1 and never from the end. Fault::limit:
// how many rows there are.
Error wrong_number(const char* op, const char* what, const char* of, const Fault& fault);

}  // namespace lutra
