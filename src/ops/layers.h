// Attributes of what layers are made of, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct DropoutAttrs {
  double rate = 0;
  Seed seed;
  Rng rng;
};
// Of lookups by number, and of their gradients: `result` is the table's shape there.
struct EmbeddingAttrs {
  IndexBase base;
  Dims result;
};

}  // namespace lutra
