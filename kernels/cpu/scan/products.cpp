// Running products on the CPU.

#include "kernels/cpu/scan/scans.h"

namespace lutra {

void add_running_products(KernelRegistry& kernels) { scans::add_scans<RunningProduct>(kernels, "Cumprod", AllTypes{}); }

}  // namespace lutra
