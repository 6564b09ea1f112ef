// Which of the compiled levels of CPU kernels this machine runs.
#pragma once

#include <span>
#include <string_view>

#include "ops/kernel.h"

namespace lutra {

struct CpuLevel {
  const char* name;  // "baseline", "avx2", "avx512"
  void (*add_kernels)(KernelRegistry& kernels);
};

// The levels that are linked in, lowest first; written by the build.
std::span<const CpuLevel> linked_cpu_levels();

// Whether `name` is a valid value of LUTRA_CPU_LEVEL.
bool is_cpu_level(std::string_view name);

// The highest level that the processor has, but no higher than the environment variable LUTRA_CPU_LEVEL, which is for
// tests. The lowest linked level if the processor has none.
const CpuLevel& cpu_level();

}  // namespace lutra
