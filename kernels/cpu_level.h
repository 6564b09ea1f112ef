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

// Those that are linked in, lowest first; written by the build.
std::span<const CpuLevel> linked_cpu_levels();

// Whether LUTRA_CPU_LEVEL may say so.
bool is_cpu_level(std::string_view name);

// The highest that the processor has; no higher than the environment's LUTRA_CPU_LEVEL, which is for tests. The lowest
// where it has none.
const CpuLevel& cpu_level();

}  // namespace lutra
