// Arithmetic of two tensors on the CPU. Divisions that round and powers are in binary/, so that no file takes long to
// compile; comparisons, logic and bit operations are in compare.cpp.

#include "kernels/cpu/binary/parts.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/arithmetic.h"

namespace lutra {
namespace {

template <class Op> void add_gradient(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_ternary<Op, T, T, T>};
  });
}

}  // namespace

void register_binary_cpu(KernelRegistry& kernels) {
  add_binary<Add>(kernels, "AddV2", AllNumbers{});
  add_binary<Sub>(kernels, "Sub", AllNumbers{});
  add_binary<Mul>(kernels, "Mul", AllNumbers{});
  add_binary<RealDiv>(kernels, "RealDiv", AllFloats{});
  add_binary<SquaredDifference>(kernels, "SquaredDifference", AllNumbers{});
  add_binary<Maximum>(kernels, "Maximum", AllNumbers{});
  add_binary<Minimum>(kernels, "Minimum", AllNumbers{});
  add_gradient<MaximumGrad>(kernels, "MaximumGrad");
  add_gradient<MinimumGrad>(kernels, "MinimumGrad");
  add_divisions(kernels);
  add_powers(kernels);
}

}  // namespace lutra
