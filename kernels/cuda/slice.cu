// Strided slices of a tensor on cards: read, overwritten, added to.
#include "kernels/element/element.h"
#include "ops/slice.h"

#include "kernels/cuda/copy.h"
#include "kernels/cuda/strided.h"

namespace lutra::cuda {
namespace {

void run_slice(const KernelArgs& args) {
  const SliceAttrs& attrs = args.as<SliceAttrs>();
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Steps steps;
  int64_t start = 0, stride = 1, to_stride = 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    Picked picked = *pick(attrs, axis, x.dims[axis]);
    start += picked.first * stride;
    steps.push(picked.count, picked.step * stride, to_stride);
    stride *= x.dims[axis];
    to_stride *= picked.count;
  }
  by_size(size_of(out.dtype), [&](auto tag) {
    using E = typename decltype(tag)::type;
    Input<E> from = input_of<E>(x);
    if (from.data != nullptr) from.data += start;
    run_strided<E, false>(static_cast<const CudaLaunch&>(args), steps, from, out.as<E>());
  });
}

// Writes `value`, repeated along axes of size 1, to a strided slice of the result; or adds it.
template <class E, bool kAdds> void run_slice_write(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const SliceAttrs& attrs = args.as<SliceAttrs>();
  const Array& x = args.in[0];
  const Array& value = args.in[1];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  // x and out share memory when a variable or a sum of gradients is updated in place.
  if (x.immediate || out.data != x.data) run_copy(args);
  Steps steps;
  int64_t first = 0, to_stride = 1, from_stride = 1;
  int value_axis = value.rank - 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    Picked picked = *pick(attrs, axis, x.dims[axis]);
    first += picked.first * to_stride;
    if (!(axis < attrs.count && attrs.drops[axis])) {
      int64_t size = value_axis >= 0 ? value.dims[value_axis] : 1;
      steps.push(picked.count, size == 1 ? 0 : from_stride, picked.step * to_stride);
      from_stride *= size;
      --value_axis;
    }
    to_stride *= x.dims[axis];
  }
  run_strided<E, kAdds>(on, steps, input_of<E>(value), out.as<E>() + first);
}

void run_slice_assign_any(const KernelArgs& args) {
  by_size(size_of(args.out[0].dtype), [&](auto tag) { run_slice_write<typename decltype(tag)::type, false>(args); });
}

}  // namespace

void register_slice_cuda(CudaKernels& kernels) {
  kernels.add("StridedSlice", kAnyDType, {.run = run_slice});
  kernels.add("StridedSliceAssign", kAnyDType, {.run = run_slice_assign_any});
  kernels.add_each("StridedSliceAdd", AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_slice_write<typename decltype(tag)::type, true>}; });
}

}  // namespace lutra::cuda
