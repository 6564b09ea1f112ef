// Updates of variables on cards. The result may be the variable's own memory: each thread reads an element before it
// writes it.
#include "kernels/cuda/copy.h"
#include "kernels/element/arithmetic.h"

namespace lutra::cuda {

void run_convert(const KernelArgs& args);  // create.cu

void register_variable_cuda(CudaKernels& kernels) {
  kernels.add("AssignVariableOp", kAnyDType, {.run = run_convert});
  add_binary<Add>(kernels, "AssignAddVariableOp", AllNumbers{});
  add_binary<Sub>(kernels, "AssignSubVariableOp", AllNumbers{});
}

}  // namespace lutra::cuda
