// Picks elements by their position on cards. Only bytes move, so there is one version per element size.
#include "kernels/element/element.h"
#include "ops/index.h"

#include "kernels/cuda/gather.h"
#include "kernels/cuda/strided.h"

namespace lutra::cuda {
namespace {

void run_gather(const KernelArgs& args) {
  const GatherAttrs& attrs = args.as<GatherAttrs>();
  const Array& x = args.in[0];
  Extent extent = Extent::around(x.dims, x.rank, axis_of(attrs.axis, x.rank, 0));
  Places places(args.in[1], attrs.base.value, extent.size);
  gather_rows(args, places, args.in[1].size, extent.size, extent.inner);
}

void run_gather_nd(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& indices = args.in[1];
  NdPlaces places(indices, args.as<IndexAttrs>().base.value, x.dims);
  gather_rows(args, places, product(indices.dims, 0, indices.rank - 1), places.parts(),
              product(x.dims, places.depth, x.rank));
}

// The traversal of the result with x and the indices, innermost axis first; x has step 0 along the axis of the indices.
template <class E> struct TakeArgs {
  Input<E> x;
  E* out;
  Places places;
  Steps steps;   // of x and of the indices
  int64_t step;  // of x along the axis
  FaultSlot* slot;
};
template <class E> LUTRA_GLOBAL void take_kernel(const TakeArgs<E> args) {
  for (int64_t i = thread_index(); i < args.steps.count; i += thread_count()) {
    int64_t rest = i, from = 0, index = 0;
    for (int axis = 0; axis < args.steps.rank; ++axis) {
      int64_t at = rest % args.steps.dims[axis];
      rest /= args.steps.dims[axis];
      from += at * args.steps.from[axis];
      index += at * args.steps.to[axis];
    }
    int64_t place = args.places.at(index);
    if (place < 0) args.places.tell(args.slot, index);
    E value = args.x.data == nullptr ? args.x.number : place < 0 ? E(0) : args.x.data[from + place * args.step];
    args.out[i] = place < 0 ? E(0) : value;
  }
}

void run_take_along_axis(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const GatherAttrs& attrs = args.as<GatherAttrs>();
  const Array &x = args.in[0], &indices = args.in[1], &out = args.out[0];
  int along = axis_of(attrs.axis, x.rank, 0);
  Places places(indices, attrs.base.value, x.dims[along]);
  if (out.size == 0) return check_places(on, places, indices.size);
  Steps steps;
  int64_t x_step = 1, index_step = 1, step = 1;
  for (int axis = out.rank - 1; axis >= 0; --axis) {
    if (axis == along) step = x_step;
    steps.push(out.dims[axis], axis == along || x.dims[axis] == 1 ? 0 : x_step,
               indices.dims[axis] == 1 ? 0 : index_step);
    x_step *= x.dims[axis];
    index_step *= indices.dims[axis];
  }
  by_size(size_of(x.dtype), [&]<class E>(TypeTag<E>) {
    TakeArgs<E> take{input_of<E>(x), out.as<E>(), places, steps, step, on.slot};
    launch(on, grid_for(on, out.size), take_kernel<E>, take);
  });
}

}  // namespace

void register_index_cuda(CudaKernels& kernels) {
  kernels.add("GatherV2", kAnyDType, {.run = run_gather});
  kernels.add("GatherNd", kAnyDType, {.run = run_gather_nd});
  kernels.add("TakeAlongAxis", kAnyDType, {.run = run_take_along_axis});
}

}  // namespace lutra::cuda
