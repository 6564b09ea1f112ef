// Which elements of the inputs belong to an element of the output: a BroadcastPlan in a form that each thread evaluates
// alone, in 32 bits and without division.
#pragma once

#include <cstdint>

#include "kernels/indexing/broadcast.h"

namespace lutra::cuda {

// n / d for n below 2^31 by a multiplication (Granlund and Montgomery 1994, figure 4.1).
struct Divider {
  uint32_t divisor = 1, factor = 1;
  int shift = 0;

  Divider() = default;
  constexpr explicit Divider(uint32_t d) : divisor(d) {
    while (shift < 31 && (uint32_t{1} << shift) < d) ++shift;
    factor = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1);
  }
  constexpr uint32_t divide(uint32_t n) const {
    return (static_cast<uint32_t>((uint64_t{n} * factor) >> 32) + n) >> shift;
  }
};

// Units of `width` elements along the innermost axis.
template <int N> struct IndexPlan {
  int rank = 1;
  Divider dims[kMaxRank];
  uint32_t strides[N][kMaxRank];  // in elements
  uint32_t inner_step[N];         // of a unit along the innermost axis: width or 0

  IndexPlan() = default;
  IndexPlan(const BroadcastPlan<N>& plan, int width) : rank(plan.rank) {
    for (int axis = 0; axis < rank; ++axis) {
      if (rank > 1) dims[axis] = Divider(static_cast<uint32_t>(axis == 0 ? plan.dims[0] / width : plan.dims[axis]));
      for (int i = 0; i < N; ++i) strides[i][axis] = static_cast<uint32_t>(plan.strides[i][axis]);
    }
    for (int i = 0; i < N; ++i) inner_step[i] = static_cast<uint32_t>(plan.strides[i][0] * width);
  }

  // The first element of each input for a unit of the output. With several axes there are fewer than 2^31 units.
  constexpr void offsets(int64_t unit, int64_t* offset) const {
    if (rank == 1) {
      for (int i = 0; i < N; ++i) offset[i] = unit * inner_step[i];
      return;
    }
    uint32_t rest = static_cast<uint32_t>(unit);
    uint32_t quotient = dims[0].divide(rest);
    uint32_t index = rest - quotient * dims[0].divisor;
    uint32_t sum[N];
    for (int i = 0; i < N; ++i) sum[i] = index * inner_step[i];
    for (int axis = 1; axis < rank; ++axis) {
      rest = quotient;
      quotient = dims[axis].divide(rest);
      index = rest - quotient * dims[axis].divisor;
      for (int i = 0; i < N; ++i) sum[i] += index * strides[i][axis];
    }
    for (int i = 0; i < N; ++i) offset[i] = sum[i];
  }
};

}  // namespace lutra::cuda
