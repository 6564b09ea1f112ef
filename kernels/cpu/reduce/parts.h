// Kernels of reduce.cpp that are compiled in separate files, to shorten builds, and how they are registered.
#pragma once

#include "kernels/cpu/loops/reduce_axes.h"
#include "kernels/element/reduce_ops.h"

namespace lutra {

template <template <class> class Op, class Types>
void add_reductions(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types,
                   [](auto tag) { return reduction<Op<typename decltype(tag)::type>>(); });
}

void add_products(KernelRegistry& kernels);
void add_maxima(KernelRegistry& kernels);
void add_minima(KernelRegistry& kernels);

}  // namespace lutra
