// More activation functions on cards.
#include "kernels/element/more_activations.h"

#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {

void register_more_activations_cuda(CudaKernels& kernels) {
  add_unary<Mish>(kernels, "Mish", AllFloats{});
  add_unary<HardSwish>(kernels, "HardSwish", AllFloats{});
  add_unary<HardSigmoid>(kernels, "HardSigmoid", AllFloats{});
  add_unary<LogSigmoid>(kernels, "LogSigmoid", AllFloats{});
  add_unary<Celu>(kernels, "Celu", AllFloats{});
}

}  // namespace lutra::cuda
