// Attributes of products with sparse matrices, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct SparseAttrs {
  int64_t size = 0;  // rows of the sparse matrix
  IndexBase base;
  bool operator==(const SparseAttrs&) const = default;
};

}  // namespace lutra
