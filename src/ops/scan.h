// Attributes of the running sums and products, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

// cumsum, cumprod; over the flattened tensor if no axis is given
struct ScanAttrs {
  Axes axis;
  bool exclusive = false;  // without the element itself
  bool reverse = false;
};

}  // namespace lutra
