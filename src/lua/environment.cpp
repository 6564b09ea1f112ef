#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "lua/modules.h"

namespace lutra {
namespace {

// "4" or "4:1024": how many, and of how many MB each.
SimulatedGpus parse_simulated_gpus(const char* variable, const char* value) {
  SimulatedGpus gpus;
  char* end = nullptr;
  long count = std::strtol(value, &end, 10);
  bool ok = end != value && count >= 0 && count <= 64;
  if (ok && *end == ':') {
    const char* size = end + 1;
    gpus.memory_limit_mb = std::strtod(size, &end);
    ok = end != size && gpus.memory_limit_mb > 0 && gpus.memory_limit_mb <= 1e9;
  }
  require(ok && *end == '\0', variable, "=", value, " is not understood; write 4, or 4:1024 for 1024 MB each");
  gpus.count = static_cast<int>(count);
  return gpus;
}

bool is_on(const char* value) {
  return *value != '\0' && std::strcmp(value, "0") != 0 && std::strcmp(value, "false") != 0;
}

}  // namespace

void apply_environment(Runtime& runtime, Context& context) {
  if (const char* value = std::getenv("LUTRA_SIM_GPUS"); value != nullptr && *value != '\0') {
    runtime.set_simulated_gpus(parse_simulated_gpus("LUTRA_SIM_GPUS", value));
  }
  if (const char* value = std::getenv("LUTRA_LOG_PLACEMENT"); value != nullptr) {
    context.placement_log().set_options({.on = is_on(value)});
  }
}

}  // namespace lutra
