// Attributes of the ops that split a tensor, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct SplitAttrs {
  Ints sizes;
  Axes axis;
  Part part;
};
struct UnstackAttrs {
  Axes axis;
  Part part;
};

}  // namespace lutra
