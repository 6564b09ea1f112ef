// The smallest element over axes on the CPU.

#include "kernels/cpu/reduce/parts.h"

namespace lutra {

void add_minima(KernelRegistry& kernels) { add_reductions<Min>(kernels, "Min", AllNumbers{}); }

}  // namespace lutra
