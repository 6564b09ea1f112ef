// Arithmetic of two tensors on cards.
#include "kernels/cpu/arithmetic.h"
#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {
namespace {

// Only integers can be told a mistake of: floats have inf and nan.
template <class Op> struct OfFloats {
  template <class T> static constexpr T apply(T a, T b) { return Op::apply(a, b); }
};
template <class Op> void add_checked(CudaKernels& kernels, const char* name) {
  add_binary<Op>(kernels, name, AllInts{});
  add_binary<OfFloats<Op>>(kernels, name, AllFloats{});
}
template <class Op> void add_gradient(CudaKernels& kernels, const char* name) {
  kernels.add_each(name, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_elementwise<Op, T, T, T, T>};
  });
}

}  // namespace

void register_binary_cuda(CudaKernels& kernels) {
  add_binary<Add>(kernels, "AddV2", AllNumbers{});
  add_binary<Sub>(kernels, "Sub", AllNumbers{});
  add_binary<Mul>(kernels, "Mul", AllNumbers{});
  add_binary<RealDiv>(kernels, "RealDiv", AllFloats{});
  add_binary<SquaredDifference>(kernels, "SquaredDifference", AllNumbers{});
  add_binary<Maximum>(kernels, "Maximum", AllNumbers{});
  add_binary<Minimum>(kernels, "Minimum", AllNumbers{});
  add_gradient<MaximumGrad>(kernels, "MaximumGrad");
  add_gradient<MinimumGrad>(kernels, "MinimumGrad");
  add_checked<FloorDiv>(kernels, "FloorDiv");
  add_checked<FloorMod>(kernels, "FloorMod");
}

}  // namespace lutra::cuda
