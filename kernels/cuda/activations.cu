// Activation functions and their gradients on cards.
#include "kernels/element/activations.h"

#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {
namespace {

template <class Op> void add_activation(CudaKernels& kernels, const char* name) {
  add_unary<Op>(kernels, name, AllFloats{});
}
template <class Op> void add_slope(CudaKernels& kernels, const char* name) {
  add_binary<Op>(kernels, name, AllFloats{});
}

template <class Exact, class Approximate, class... In> void run_gelu(const KernelArgs& args) {
  using T = std::tuple_element_t<0, std::tuple<In...>>;
  return args.as<GeluAttrs>().approximate ? run_elementwise<Approximate, T, In...>(args)
                                          : run_elementwise<Exact, T, In...>(args);
}

}  // namespace

void register_activations_cuda(CudaKernels& kernels) {
  add_unary<Relu>(kernels, "Relu", AllNumbers{});
  add_unary<Relu6>(kernels, "Relu6", AllNumbers{});
  add_activation<LeakyRelu>(kernels, "LeakyRelu");
  add_activation<Elu>(kernels, "Elu");
  add_activation<Selu>(kernels, "Selu");
  kernels.add_each("Gelu", AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_gelu<Gelu, GeluTanh, typename decltype(tag)::type>}; });
  add_activation<Silu>(kernels, "Silu");
  add_activation<Sigmoid>(kernels, "Sigmoid");
  add_activation<Softplus>(kernels, "Softplus");
  add_activation<Softsign>(kernels, "Softsign");
  add_slope<ReluGrad>(kernels, "ReluGrad");
  add_slope<Relu6Grad>(kernels, "Relu6Grad");
  add_slope<LeakyReluGrad>(kernels, "LeakyReluGrad");
  add_slope<EluGrad>(kernels, "EluGrad");
  add_slope<SeluGrad>(kernels, "SeluGrad");
  kernels.add_each("GeluGrad", AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_gelu<GeluGrad, GeluTanhGrad, T, T>};
  });
  add_slope<SiluGrad>(kernels, "SiluGrad");
  add_slope<SigmoidGrad>(kernels, "SigmoidGrad");
  add_slope<SoftplusGrad>(kernels, "SoftplusGrad");
  add_slope<SoftsignGrad>(kernels, "SoftsignGrad");
  add_activation<Mish>(kernels, "Mish");
  add_activation<HardSwish>(kernels, "HardSwish");
  add_activation<HardSigmoid>(kernels, "HardSigmoid");
  add_activation<LogSigmoid>(kernels, "LogSigmoid");
  add_activation<Celu>(kernels, "Celu");
}

}  // namespace lutra::cuda
