// The environment variables LUTRA_*, which a State applies as settings when it opens.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/environment.h"
#include "core/error.h"
#include "core/usable_cores.h"
#include "device/sim/schedule.h"
#include "kernels/cpu_level.h"
#include "kernels/lapack/library.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

[[noreturn]] void misread(const char* variable, std::string_view value, const char* wanted) {
  fail(ErrorCode::InvalidArgument, variable, " is ", quoted_name(value), ", expected ", wanted);
}

bool is_seconds(std::string_view value) {
  double seconds = -1;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  return error == std::errc() && end == value.data() + value.size() && seconds >= 0 && std::isfinite(seconds);
}

bool read_switch(const char* variable, std::string_view value) {
  auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), value) != words.end();
  };
  if (is_one_of({"1", "true", "on", "yes"})) return true;
  if (!is_one_of({"0", "false", "off", "no"})) misread(variable, value, "1 or 0 (or true, on, yes, false, off, no)");
  return false;
}

}  // namespace

void apply_environment(Runtime& runtime) {
  // These are read where they are used, perhaps never, so errors in them are reported now.
  if (std::string_view value = environment_variable("LUTRA_NUM_THREADS"); !value.empty() && !parse_threads(value)) {
    misread("LUTRA_NUM_THREADS", value, "a whole number from 0 (as many as there are cores) to 1024");
  }
  if (std::string_view value = environment_variable("LUTRA_CUDNN"); !value.empty()) read_switch("LUTRA_CUDNN", value);
  if (std::string_view value = environment_variable("LUTRA_CPU_LEVEL"); !value.empty() && !is_cpu_level(value)) {
    misread("LUTRA_CPU_LEVEL", value, "baseline, avx2 or avx512");
  }
  if (std::string_view value = environment_variable("LUTRA_NCCL"); !value.empty()) read_switch("LUTRA_NCCL", value);
  if (std::string_view value = environment_variable("LUTRA_REPLICA_TIMEOUT"); !value.empty() && !is_seconds(value)) {
    misread("LUTRA_REPLICA_TIMEOUT", value, "a number of seconds, 0 for any time");
  }
  if (std::string_view value = environment_variable("LUTRA_GRAPH");
      !value.empty() && value != "auto" && value != "always" && value != "never") {
    misread("LUTRA_GRAPH", value, "auto, always or never");
  }
  if (!environment_variable("LUTRA_LAPACK").empty()) {
    // A library that is named must exist, so it is opened now.
    if (const lapack::Found& found = lapack::find_library(); found.is_wanted && found.library == nullptr) {
      fail(ErrorCode::InvalidArgument, "LUTRA_LAPACK is ", quoted_name(environment_variable("LUTRA_LAPACK")),
           ", expected the name or path of a LAPACK library, or off: ", found.why_not);
    }
  }
  Schedule::from_environment();
  if (std::string_view value = environment_variable("LUTRA_SIM_GPUS"); !value.empty()) {
    int count = 0;
    SimOptions each;
    if (!parse_sim_gpus(value, &count, &each)) {
      misread("LUTRA_SIM_GPUS", value, "a number up to 64 as in 4, or 4:1024 for 1024 MB each");
    }
    runtime.set_simulated_gpus(count, each);
  }
}

void apply_environment(Context& context) {
  if (std::string_view value = environment_variable("LUTRA_LOG_PLACEMENT"); !value.empty()) {
    context.placement_log().set_options({.on = read_switch("LUTRA_LOG_PLACEMENT", value)});
  }
}

}  // namespace lutra
