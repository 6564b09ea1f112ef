// Moves or adds strided elements to strided elements: slices, transposes, updates of slices.
#pragma once

#include "kernels/cuda/elementwise.h"

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

template <class E> struct StridedArgs {
  const E* from;  // null: `number`
  E* to;
  E number;
  int rank;
  uint32_t count;
  Divider dims[kMaxRank];
  int64_t from_step[kMaxRank], to_step[kMaxRank];
};

template <class E, bool kAdds> LUTRA_GLOBAL void strided_kernel(const StridedArgs<E> args) {
  for (int64_t at = thread_index(); at < args.count; at += thread_count()) {
    int64_t from = 0, to = 0;
    uint32_t rest = static_cast<uint32_t>(at);
    for (int axis = 0; axis < args.rank; ++axis) {
      uint32_t quotient = args.dims[axis].divide(rest);
      int64_t index = rest - quotient * args.dims[axis].divisor;
      from += index * args.from_step[axis];
      to += index * args.to_step[axis];
      rest = quotient;
    }
    E value = args.from != nullptr ? args.from[from] : args.number;
    if constexpr (kAdds) args.to[to] = rounded_to<E>(computed_in(args.to[to]) + computed_in(value));
    else args.to[to] = value;
  }
}

// Fewer than 2^31 elements at a time: slices of the outermost axis.
template <class E, bool kAdds> void run_strided(const CudaLaunch& on, Steps steps, const Input<E>& from, E* to) {
  constexpr int64_t kMost = INT32_MAX;
  if (steps.count == 0 || on.error != 0) return;
  if (steps.count > kMost) {
    int last = steps.rank - 1;
    int64_t row = steps.count / steps.dims[last], rows = std::max<int64_t>(kMost / row, 1);
    for (int64_t first = 0; first < steps.dims[last]; first += rows) {
      Steps part = steps;
      part.dims[last] = std::min(rows, steps.dims[last] - first);
      part.count = row * part.dims[last];
      if (part.dims[last] == 1) --part.rank;
      Input<E> start = from;
      if (start.data != nullptr) start.data += first * steps.from[last];
      run_strided<E, kAdds>(on, part, start, to + first * steps.to[last]);
    }
    return;
  }
  StridedArgs<E> args{};
  args.from = from.data;
  args.to = to;
  args.number = from.number;
  args.rank = steps.rank;
  args.count = static_cast<uint32_t>(steps.count);
  for (int axis = 0; axis < steps.rank; ++axis) {
    args.dims[axis] = Divider(static_cast<uint32_t>(steps.dims[axis]));
    args.from_step[axis] = steps.from[axis];
    args.to_step[axis] = steps.to[axis];
  }
  launch(on, grid_for(on, steps.count), strided_kernel<E, kAdds>, args);
}

}  // namespace lutra::cuda
