// Attributes of the random distributions whose parameters are tensors, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct GammaAttrs {
  Dims shape;
  bool log = false;  // the numbers' logarithms
  Seed seed;
  Rng rng;
};
// poisson, binomial
struct DrawAttrs {
  Dims shape;
  Seed seed;
  Rng rng;
};
struct MultinomialAttrs {
  int64_t n = 0;
  Dims shape;
  Seed seed;
  Rng rng;
};

}  // namespace lutra
