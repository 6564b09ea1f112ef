// x log(y) on cards.
#include "kernels/cuda/elementwise.h"
#include "kernels/element/xlogy.h"

namespace lutra::cuda {

void register_xlogy_cuda(CudaKernels& kernels) { add_binary<Xlogy>(kernels, "Xlogy", AllFloats{}); }

}  // namespace lutra::cuda
