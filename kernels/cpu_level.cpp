#include "kernels/cpu_level.h"

#include <cstdlib>
#include <string_view>

#include "core/error.h"

namespace lutra {
namespace {

// The levels are x86-64-v3 and v4. Clang 14 does not know these names, so the features that tell them apart are asked
// for.
bool processor_has([[maybe_unused]] std::string_view level) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (level == "avx2") return avx2;
  if (level == "avx512") {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }
#endif
  return level == "baseline";
}

}  // namespace

bool is_cpu_level(std::string_view name) { return name == "baseline" || name == "avx2" || name == "avx512"; }

const CpuLevel& cpu_level() {
  std::span<const CpuLevel> levels = linked_cpu_levels();
  const char* asked = std::getenv("LUTRA_CPU_LEVEL");
  const CpuLevel* best = &levels.front();
  for (const CpuLevel& level : levels) {
    if (processor_has(level.name)) best = &level;
    if (asked != nullptr && std::string_view(asked) == level.name) break;
  }
  return *best;
}

void register_all_cpu_kernels(KernelRegistry& kernels) {
  const CpuLevel& level = cpu_level();
  if (!processor_has(level.name)) {
    fail(ErrorCode::FailedPrecondition, "this build's CPU kernels are for ", level.name,
         ", which this processor lacks: build again on this machine, or with -DLUTRA_CPU_LEVELS=all");
  }
  level.add_kernels(kernels);
}

}  // namespace lutra
