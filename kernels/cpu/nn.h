// The family's kernels, by subject.
#pragma once

#include "ops/kernel.h"

namespace lutra {

void register_layers_cpu(KernelRegistry& kernels);  // layers.cpp
void register_conv_cpu(KernelRegistry& kernels);    // conv.cpp
void register_pool_cpu(KernelRegistry& kernels);    // pool.cpp
void register_losses_cpu(KernelRegistry& kernels);  // losses.cpp
void register_norm_cpu(KernelRegistry& kernels);    // norm.cpp

// An entry a type of the list: Kernel<T>::run.
template <template <class> class Kernel, class Types>
void add_kernels(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    using K = Kernel<typename decltype(tag)::type>;
    if constexpr (requires { &K::scratch; }) return KernelEntry{.run = K::run, .scratch = K::scratch};
    else return KernelEntry{.run = K::run};
  });
}

}  // namespace lutra
