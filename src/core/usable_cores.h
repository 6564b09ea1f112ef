// How many cores this process may use, and on how many threads its loops run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/control_groups.h"

namespace lutra {

struct UsableCores {
  int threads;  // at least 1
  std::string
      why;  // for people: "2 cores in the process' affinity mask", "a quota of 1.5 cores in a control group ..."
};

// The cores of the affinity mask, but no more than the whole cores of the CPU quota of the process' control groups
// (cpu.max; version 1: cpu.cfs_quota_us): whoever uses more is stopped for the rest of the period, all threads at once.
UsableCores usable_cores(const ControlGroupFiles& files = {});

inline constexpr int kMostThreads = 1024;
// What LUTRA_NUM_THREADS may be: "0" (no word on it) to "1024"; nothing for any other text.
std::optional<int> parse_threads(std::string_view text);
// What LUTRA_NUM_THREADS says, else usable_cores().
UsableCores process_threads();

}  // namespace lutra
