// Attributes of normalisation, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct NormalizeAttrs {
  double epsilon = 1e-3;
  bool operator==(const NormalizeAttrs&) const = default;
};

}  // namespace lutra
