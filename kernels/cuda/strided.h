// Moves or adds strided elements to strided elements: slices, transposes, updates of slices.
#pragma once

#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/tiles.h"

namespace lutra::cuda {

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

struct alignas(16) Bytes16 {
  uint8_t of[16];
};

// Whether both sides can be moved 16 bytes at a time. If so, `steps` counts in them afterwards.
inline bool count_in_16_bytes(Steps& steps, std::size_t element, const void* from, const void* to) {
  const int64_t unit = static_cast<int64_t>(16 / element);
  if (steps.rank == 0 || steps.from[0] != 1 || steps.to[0] != 1 || steps.dims[0] % unit != 0) return false;
  if (!is_aligned(from, 16) || !is_aligned(to, 16)) return false;
  for (int axis = 1; axis < steps.rank; ++axis) {
    if (steps.from[axis] % unit != 0 || steps.to[axis] % unit != 0) return false;
  }
  steps.dims[0] /= unit;
  steps.count /= unit;
  for (int axis = 1; axis < steps.rank; ++axis) {
    steps.from[axis] /= unit;
    steps.to[axis] /= unit;
  }
  return true;
}

// Fewer than 2^31 elements at a time: slices of the outermost axis.
template <class E, bool kAdds> void run_strided(const CudaLaunch& on, Steps steps, const Input<E>& from, E* to) {
  constexpr int64_t kMost = INT32_MAX;
  if (steps.count == 0 || on.error != 0) return;
  if constexpr (!kAdds && sizeof(E) < 16) {
    if (from.data != nullptr && count_in_16_bytes(steps, sizeof(E), from.data, to)) {
      Input<Bytes16> whole{reinterpret_cast<const Bytes16*>(from.data), {}};
      return run_strided<Bytes16, false>(on, steps, whole, reinterpret_cast<Bytes16*>(to));
    }
  }
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
  if constexpr (!kAdds && sizeof(E) < 16) {
    if (from.data != nullptr && run_tiles(on, steps, from.data, to)) return;
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
