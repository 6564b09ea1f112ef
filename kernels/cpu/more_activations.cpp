// More activation functions on the CPU.

#include "kernels/element/more_activations.h"
#include "kernels/cpu/loops/unary.h"

namespace lutra {

void register_more_activations_cpu(KernelRegistry& kernels) {
  add_function<Mish>(kernels, "Mish");
  add_function<HardSwish>(kernels, "HardSwish");
  add_function<HardSigmoid>(kernels, "HardSigmoid");
  add_function<LogSigmoid>(kernels, "LogSigmoid");
  add_function<Celu>(kernels, "Celu");
}

}  // namespace lutra
