// Kernels of binary.cpp and compare.cpp that are compiled in separate files, to shorten builds.
#pragma once

#include "ops/kernel.h"

namespace lutra {

void add_divisions(KernelRegistry& kernels);
void add_powers(KernelRegistry& kernels);
void add_bits_and_shifts(KernelRegistry& kernels);

}  // namespace lutra
