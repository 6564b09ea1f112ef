// Products over axes on the CPU.

#include "kernels/cpu/reduce/parts.h"

namespace lutra {

void add_products(KernelRegistry& kernels) { add_reductions<Prod>(kernels, "Prod", AllTypes{}); }

}  // namespace lutra
