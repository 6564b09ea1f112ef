// Attributes of softmax and its logarithm, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct SoftmaxAttrs {
  Axes axis;
  bool operator==(const SoftmaxAttrs&) const = default;
};

}  // namespace lutra
