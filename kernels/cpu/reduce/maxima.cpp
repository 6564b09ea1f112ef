// The largest element over axes, and logic, on the CPU.

#include "kernels/cpu/reduce/parts.h"

namespace lutra {

void add_maxima(KernelRegistry& kernels) {
  add_reductions<Max>(kernels, "Max", AllNumbers{});
  kernels.add("All", DeviceType::CPU, kBool, reduction<All>());
  kernels.add("Any", DeviceType::CPU, kBool, reduction<Any>());
}

}  // namespace lutra
