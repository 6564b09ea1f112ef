// Sums and means over axes on the CPU. Products, maxima, minima and logic are in reduce/, so that no file takes long to
// compile.

#include "ops/reduce.h"

#include "kernels/cpu/reduce/parts.h"

namespace lutra {

void register_reduce_cpu(KernelRegistry& kernels) {
  add_reductions<Sum>(kernels, "Sum", AllTypes{});
  add_reductions<Mean>(kernels, "Mean", AllFloats{});
  add_products(kernels);
  add_maxima(kernels);
  add_minima(kernels);
}

}  // namespace lutra
