// Attributes of the ops that layers are built from, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct DropoutAttrs {
  double rate = 0;
  Seed seed;
  Rng rng;
};
// Of lookups by number and of their gradients, where `result` is the table's shape.
struct EmbeddingAttrs {
  IndexBase base;
  Dims result;
};

}  // namespace lutra
