// Activation functions and their gradients on the CPU.

#include "kernels/element/activations.h"
#include "kernels/cpu/loops/unary.h"

namespace lutra {
namespace {

template <class Exact, class Approximate, class T> void run_gelu(const KernelArgs& args) {
  return args.as<GeluAttrs>().approximate ? run_function<Approximate, T>(args) : run_function<Exact, T>(args);
}
template <class Exact, class Approximate> void add_gelu(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllFloats{}, [](auto tag) {
    return KernelEntry{.run = run_gelu<Exact, Approximate, typename decltype(tag)::type>};
  });
}

}  // namespace

void register_activations_cpu(KernelRegistry& kernels) {
  add_number_function<Relu>(kernels, "Relu");
  add_number_function<Relu6>(kernels, "Relu6");
  add_function<LeakyRelu>(kernels, "LeakyRelu");
  add_function<Elu>(kernels, "Elu");
  add_function<Selu>(kernels, "Selu");
  add_gelu<Gelu, GeluTanh>(kernels, "Gelu");
  add_function<Silu>(kernels, "Silu");
  add_function<Sigmoid>(kernels, "Sigmoid");
  add_function<Softplus>(kernels, "Softplus");
  add_function<Softsign>(kernels, "Softsign");
  add_function<ReluGrad>(kernels, "ReluGrad");
  add_function<Relu6Grad>(kernels, "Relu6Grad");
  add_function<LeakyReluGrad>(kernels, "LeakyReluGrad");
  add_function<EluGrad>(kernels, "EluGrad");
  add_function<SeluGrad>(kernels, "SeluGrad");
  add_gelu<GeluGrad, GeluTanhGrad>(kernels, "GeluGrad");
  add_function<SiluGrad>(kernels, "SiluGrad");
  add_function<SigmoidGrad>(kernels, "SigmoidGrad");
  add_function<SoftplusGrad>(kernels, "SoftplusGrad");
  add_function<SoftsignGrad>(kernels, "SoftsignGrad");
  add_function<Mish>(kernels, "Mish");
  add_function<HardSwish>(kernels, "HardSwish");
  add_function<HardSigmoid>(kernels, "HardSigmoid");
  add_function<LogSigmoid>(kernels, "LogSigmoid");
  add_function<Celu>(kernels, "Celu");
}

}  // namespace lutra
