// The axes along which strided elements are moved.
#pragma once

#include <cstdint>

#include "core/shape.h"

namespace lutra::cuda {

// Axes innermost first; steps in elements, of either sign.
struct Steps {
  int rank = 0;
  int64_t dims[kMaxRank];
  int64_t from[kMaxRank], to[kMaxRank];
  int64_t count = 1;

  // Axes of one element are left out, and neighbouring axes that both sides traverse as one are merged.
  void push(int64_t dim, int64_t from_step, int64_t to_step) {
    count *= dim;
    if (dim == 1) return;
    if (rank > 0 && from_step == from[rank - 1] * dims[rank - 1] && to_step == to[rank - 1] * dims[rank - 1]) {
      dims[rank - 1] *= dim;
      return;
    }
    dims[rank] = dim;
    from[rank] = from_step;
    to[rank] = to_step;
    ++rank;
  }
};

}  // namespace lutra::cuda
