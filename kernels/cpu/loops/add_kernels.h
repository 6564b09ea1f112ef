// Registers kernels that are structs, one entry per dtype.
#pragma once

#include "ops/kernel.h"

namespace lutra {

// One entry per type of the list: Kernel<T>::run.
template <template <class> class Kernel, class Types>
void add_kernels(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    using K = Kernel<typename decltype(tag)::type>;
    if constexpr (requires { &K::scratch; }) return KernelEntry{.run = K::run, .scratch = K::scratch};
    else return KernelEntry{.run = K::run};
  });
}

}  // namespace lutra
