// Rearranging elements on cards. Reshape and similar ops share their input's memory, and run here only to be copied
// whole.
#include "kernels/element/element.h"
#include "ops/shape.h"

#include "kernels/cuda/copy.h"
#include "kernels/cuda/strided.h"
#include "ops/axes.h"

namespace lutra::cuda {
namespace {

template <class E> void copy_strided(const KernelArgs& args, const Steps& steps) {
  run_strided<E, false>(static_cast<const CudaLaunch&>(args), steps, input_of<E>(args.in[0]), args.out[0].as<E>());
}
void copy_strided_any(const KernelArgs& args, const Steps& steps) {
  by_size(size_of(args.out[0].dtype), [&](auto tag) { copy_strided<typename decltype(tag)::type>(args, steps); });
}

void run_transpose(const KernelArgs& args) {
  const Axes& perm = args.as<TransposeAttrs>().perm;
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t strides[kMaxRank], stride = 1, to = 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= x.dims[axis];
  }
  Steps steps;
  for (int i = x.rank - 1; i >= 0; --i) {
    int64_t axis = perm.given() ? perm.v[i] : x.rank - 1 - i;
    steps.push(out.dims[i], strides[axis < 0 ? axis + x.rank : axis], to);
    to *= out.dims[i];
  }
  copy_strided_any(args, steps);
}

// Repeats elements along axes of size 1.
void run_broadcast_to(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Steps steps;
  int64_t stride = 1, to = 1;
  for (int axis = out.rank - 1; axis >= 0; --axis) {
    int own = axis - (out.rank - x.rank);
    int64_t size = own >= 0 ? x.dims[own] : 1;
    steps.push(out.dims[axis], size == 1 ? 0 : stride, to);
    stride *= size;
    to *= out.dims[axis];
  }
  copy_strided_any(args, steps);
}

// Each row of the result consists of a row of every input in turn; width(i) is the number of elements in input i's.
template <class Width> void join(const KernelArgs& args, int64_t out_width, const Width& width) {
  int64_t rows = args.out[0].size / out_width;
  by_size(size_of(args.out[0].dtype), [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* to = args.out[0].as<E>();
    for (int i = 0; i < args.n_in; ++i) {
      Steps steps;
      steps.push(width(i), 1, 1);
      steps.push(rows, width(i), out_width);
      run_strided<E, false>(static_cast<const CudaLaunch&>(args), steps, input_of<E>(args.in[i]), to);
      to += width(i);
    }
  });
}

// The number of elements in one step along the op's axis of the result.
int64_t step_width(const KernelArgs& args, int* axis) {
  const Array& out = args.out[0];
  *axis = axis_of(args.as<AxisAttrs>().axis, out.rank, 0);
  return Extent::around(out.dims, out.rank, *axis).inner;
}

void run_concat(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  int axis;
  int64_t step = step_width(args, &axis);
  join(args, step * args.out[0].dims[axis], [&](int i) { return step * args.in[i].dims[axis]; });
}

void run_stack(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  int axis;
  int64_t step = step_width(args, &axis);
  join(args, step * args.n_in, [&](int) { return step; });
}

}  // namespace

void register_shape_cuda(CudaKernels& kernels) {
  for (const char* name : {"Reshape", "Flatten", "Squeeze", "ExpandDims"})
    kernels.add(name, kAnyDType, {.run = run_copy});
  kernels.add("Transpose", kAnyDType, {.run = run_transpose});
  kernels.add("BroadcastTo", kAnyDType, {.run = run_broadcast_to});
  kernels.add("ConcatV2", kAnyDType, {.run = run_concat});
  kernels.add("Pack", kAnyDType, {.run = run_stack});
}

}  // namespace lutra::cuda
