// The stages of a reduction over several axes: each reduces one group of neighbouring axes.
#pragma once

#include <cstdint>

#include "ops/axes.h"
#include "ops/kernel.h"
#include "ops/reduce.h"

namespace lutra {

// The axes to reduce, innermost first; neighbouring ones are merged.
struct ReducePlan {
  int stages = 0;
  Extent stage[kMaxRank];
  int64_t count = 1;  // elements that make one result

  ReducePlan(const Array& x, uint32_t mask) {
    int64_t size[kMaxRank], outer = 1, inner = 1;
    bool is_reduced[kMaxRank];
    int groups = 0;
    for (int axis = 0; axis < x.rank; ++axis) {
      bool reduced = (mask >> axis & 1) != 0;
      if (reduced) count *= x.dims[axis];
      outer *= x.dims[axis];
      if (x.dims[axis] == 1) continue;
      if (groups > 0 && is_reduced[groups - 1] == reduced) {
        size[groups - 1] *= x.dims[axis];
        continue;
      }
      size[groups] = x.dims[axis];
      is_reduced[groups++] = reduced;
    }
    if (outer == 0) return;
    for (int group = groups - 1; group >= 0; --group) {
      outer /= size[group];
      if (is_reduced[group]) stage[stages++] = {outer, size[group], inner};
      else inner *= size[group];
    }
    if (stages == 0) stage[stages++] = {1, 1, inner};
  }

  // Results of the stages before the last alternate between two buffers.
  int64_t room(int i) const { return i + 1 < stages ? stage[i].lines() : 0; }

  static ReducePlan of(const KernelArgs& args) {
    const Array& x = args.in[0];
    return ReducePlan(x, reduced_axes(args.as<ReduceAttrs>().axis, x.rank));
  }
};

}  // namespace lutra
