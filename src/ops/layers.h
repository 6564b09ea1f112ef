// Attributes of the ops that layers are built from, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct DropoutAttrs {
  double rate = 0;
  Seed seed;
  Rng rng;
};
// embedding and its gradient. `result`: the table's shape, for the gradient.
struct EmbeddingAttrs {
  IndexBase base;
  Dims result;
  bool operator==(const EmbeddingAttrs&) const = default;
};

}  // namespace lutra
