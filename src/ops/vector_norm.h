// Attributes of norm, as its kernel reads them.
#pragma once

#include "ops/reduce.h"

namespace lutra {

struct NormAttrs : ReduceAttrs {
  double ord = 2;  // 1, 2 or infinity
};

}  // namespace lutra
