// Attributes of unravel_index, as its kernel reads them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct UnravelAttrs {
  Dims shape;
  IndexBase base;
};

}  // namespace lutra
