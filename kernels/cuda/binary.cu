// Arithmetic of two tensors on cards.
#include "kernels/cuda/elementwise.h"
#include "kernels/element/arithmetic.h"
#include "kernels/element/element.h"
#include "kernels/element/power_ops.h"

namespace lutra::cuda {
namespace {

// Only for integers are there mistakes to report: floats have inf and nan.
template <class Op> struct OfFloats : Costly {
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

// As on the CPU if the exponent is known here; an exponent in the card's memory takes the general method.
template <class T> void run_pow(const KernelArgs& args) {
  if (args.in[1].immediate) {
    double exponent = static_cast<double>(*args.in[1].as<T>());
    if (exponent == 1) return run_elementwise<Power1, T, T>(args);
    if (exponent == 2) return run_elementwise<Power2, T, T>(args);
    if (exponent == 3) return run_elementwise<Power3, T, T>(args);
    if constexpr (!std::is_integral_v<T>) {
      if (exponent == -1) return run_elementwise<Inverse, T, T>(args);
      if (exponent == 0.5) return run_elementwise<Root, T, T>(args);
    }
  }
  if constexpr (std::is_integral_v<T>) run_elementwise<Pow, T, T, T>(args);
  else run_elementwise<OfFloats<Pow>, T, T, T>(args);
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
  add_binary<Atan2>(kernels, "Atan2", AllFloats{});
  kernels.add_each("Pow", AllNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_pow<typename decltype(tag)::type>}; });
  add_checked<FloorDiv>(kernels, "FloorDiv");
  add_checked<FloorMod>(kernels, "FloorMod");
}

}  // namespace lutra::cuda
