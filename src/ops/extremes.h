// Attributes of the running extremes, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

// cummax, cummin; over the flattened tensor if no axis is given
struct ExtremeAttrs {
  Axes axis;
  IndexBase base;
};

}  // namespace lutra
