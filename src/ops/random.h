// Attributes of the random ops, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct NormalAttrs {
  Dims shape;
  double mean = 0;
  double stddev = 1;
  DType dtype = DType::Float32;
  Seed seed;
  Rng rng;
};
struct UniformAttrs {
  Dims shape;
  double minval = 0;
  double maxval = 1;
  DType dtype = DType::Float32;
  Seed seed;
  Rng rng;
};

}  // namespace lutra
