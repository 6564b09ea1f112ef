// Attributes of searches, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

// searchsorted
struct SearchAttrs {
  IndexBase base;
  bool right = false;  // behind equal values
};

// bincount
struct BincountAttrs {
  IndexBase base;
  int64_t minlength = 0;
};

// isin
struct IsInAttrs {
  bool invert = false;
};

}  // namespace lutra
