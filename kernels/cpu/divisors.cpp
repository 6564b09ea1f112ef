// Common divisors on the CPU.

#include "kernels/element/divisors.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

void register_divisors_cpu(KernelRegistry& kernels) { add_binary<Gcd>(kernels, "Gcd", AllInts{}); }

}  // namespace lutra
