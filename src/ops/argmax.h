// Attributes of argmax and argmin, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct ArgMaxAttrs {
  Axes axis;
  bool keepdims = false;
  IndexBase base;
};

}  // namespace lutra
