// Attributes of tile, repeat, pad and roll, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct TileAttrs {
  Counts counts;
};
struct RepeatAttrs {
  Ints n;
  Axes axis;
  // How often element i of the axis is repeated.
  int64_t at(int64_t i) const { return !n.is_list() ? n.one : n.count == 1 ? n.v[0] : n.v[i]; }
  bool is_uniform() const { return !n.is_list() || n.count == 1; }
};
struct PadAttrs {
  Pads paddings;
  Scalar value = Scalar::of(int64_t{0});
};
struct RollAttrs {
  Counts shift;
  Axes axis;
};

}  // namespace lutra
