// Split and unstack along an axis on cards.
#include "kernels/element/element.h"
#include "ops/pieces.h"

#include "kernels/cuda/strided.h"
#include "ops/axes.h"

namespace lutra::cuda {
namespace {

// Copies a range of an axis of x.
void run_piece(const KernelArgs& args, const Axes& axes, const Part& part) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  auto [outer, size, inner] = Extent::around(x.dims, x.rank, axis_of(axes, x.rank, 0));
  Steps steps;
  steps.push(inner * part.size, 1, 1);
  steps.push(outer, inner * size, inner * part.size);
  by_size(size_of(out.dtype), [&, from = part.first * inner]<class E>(TypeTag<E>) {
    Input<E> in = input_of<E>(x);
    if (in.data != nullptr) in.data += from;
    run_strided<E, false>(static_cast<const CudaLaunch&>(args), steps, in, out.as<E>());
  });
}

void run_split(const KernelArgs& args) {
  const SplitAttrs& attrs = args.as<SplitAttrs>();
  run_piece(args, attrs.axis, attrs.part);
}
void run_unstack(const KernelArgs& args) {
  const UnstackAttrs& attrs = args.as<UnstackAttrs>();
  run_piece(args, attrs.axis, attrs.part);
}

}  // namespace

void register_pieces_cuda(CudaKernels& kernels) {
  kernels.add("Split", kAnyDType, {.run = run_split});
  kernels.add("Unpack", kAnyDType, {.run = run_unstack});
}

}  // namespace lutra::cuda
