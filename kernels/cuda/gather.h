// Slices of a tensor by their position, on cards. Only bytes move, so there is one version per element size.
#pragma once

#include "kernels/cuda/places.h"
#include "kernels/element/element.h"

namespace lutra::cuda {

template <class Rows> LUTRA_GLOBAL void check_kernel(const Rows rows, int64_t count, FaultSlot* slot) {
  for (int64_t i = thread_index(); i < count; i += thread_count()) {
    if (rows.at(i) < 0) rows.tell(slot, i);
  }
}
// Reports those of `count` indices that are out of range.
template <class Rows> void check_places(const CudaLaunch& on, const Rows& rows, int64_t count) {
  if (count > 0) launch(on, grid_for(on, count), check_kernel<Rows>, rows, count, on.slot);
}

template <class E, class Rows> struct GatherArgs {
  Input<E> x;
  E* out;
  Rows rows;
  int64_t size, count, parts, length;
  FaultSlot* slot;
};

// Neighbouring threads take neighbouring elements of a slice.
template <class E, class Rows> LUTRA_GLOBAL void gather_kernel(const GatherArgs<E, Rows> args) {
  for (int64_t at = thread_index(); at < args.size; at += thread_count()) {
    int64_t part = at / args.length, k = at - part * args.length, block = part / args.count;
    int64_t i = part - block * args.count, place = args.rows.at(i);
    if (place < 0) {
      args.rows.tell(args.slot, i);
      args.out[at] = E(0);
      continue;
    }
    args.out[at] = args.x.data != nullptr ? args.x.data[(block * args.parts + place) * args.length + k] : args.x.number;
  }
}

// Gathers slices of `length` elements of input 0, which has `parts` of them per block, into output 0: `count` slices
// per block, selected by `rows`. An index out of range gives 0 and is reported.
template <class Rows>
void gather_rows(const KernelArgs& args, const Rows& rows, int64_t count, int64_t parts, int64_t length) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const Array& out = args.out[0];
  if (out.size == 0) return check_places(on, rows, count);
  by_size(size_of(out.dtype), [&]<class E>(TypeTag<E>) {
    GatherArgs<E, Rows> gather{input_of<E>(args.in[0]), out.as<E>(), rows, out.size, count, parts, length, on.slot};
    launch(on, grid_for(on, out.size), gather_kernel<E, Rows>, gather);
  });
}

}  // namespace lutra::cuda
