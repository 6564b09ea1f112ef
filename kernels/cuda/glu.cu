// The gated linear unit on cards.
#include "kernels/element/glu.h"

#include "kernels/cuda/indexed.h"
#include "ops/axes.h"
#include "ops/softmax.h"

namespace lutra::cuda {
namespace {

template <class T> struct Gated {
  Input<T> x;
  int64_t half;  // the elements of a half, which are neighbours
  LUTRA_DEVICE T at(int64_t place) const {
    const T* from = x.data + place / half * 2 * half + place % half;
    return rounded_to<T>(Glu::apply(computed_in(from[0]), computed_in(from[half])));
  }
};

// x has two elements for each of the result, so it is never passed by value.
template <class T> void run_glu(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Extent extent = Extent::around(out.dims, out.rank, axis_of(args.as<SoftmaxAttrs>().axis, out.rank, -1));
  run_indexed<T>(static_cast<const CudaLaunch&>(args), Gated<T>{input_of<T>(args.in[0]), extent.size * extent.inner});
}

}  // namespace

void register_glu_cuda(CudaKernels& kernels) {
  kernels.add_each("Glu", AllFloats{}, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_glu<T>}; });
}

}  // namespace lutra::cuda
