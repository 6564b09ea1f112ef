// Attributes of the special functions, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct PolygammaAttrs {
  int64_t n = 0;
};

}  // namespace lutra
