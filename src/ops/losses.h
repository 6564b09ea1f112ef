// Attributes of the losses, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct CrossEntropyAttrs {
  IndexBase base;
  bool operator==(const CrossEntropyAttrs&) const = default;
};

}  // namespace lutra
