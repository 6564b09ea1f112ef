// x log(y) on the CPU.

#include "kernels/element/xlogy.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

void register_xlogy_cpu(KernelRegistry& kernels) { add_binary<Xlogy>(kernels, "Xlogy", AllFloats{}); }

}  // namespace lutra
