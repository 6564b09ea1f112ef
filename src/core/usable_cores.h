// How many cores this process may use, and on how many threads its loops run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/control_groups.h"

namespace lutra {

struct UsableCores {
  int threads;      // at least 1
  std::string why;  // for people: "the process may run on 2 cores", "the control group ... has a quota of 1.5 cores"
};

// The cores of the affinity mask, limited to the whole cores of the CPU quota of the process' control groups (cpu.max;
// version 1: cpu.cfs_quota_us). A process that exceeds its quota is stopped, all threads at once, for the rest of the
// period.
UsableCores usable_cores(const ControlGroupFiles& files = {});

inline constexpr int kMostThreads = 1024;
// LUTRA_NUM_THREADS as a number: "0" (unset) to "1024"; nothing for any other text.
std::optional<int> parse_threads(std::string_view text);
// From LUTRA_NUM_THREADS, else usable_cores().
UsableCores process_threads();

// How many threads of the whole machine run or wait for a core at this moment, the caller among them. 0 where the
// system does not say.
int running_threads();

}  // namespace lutra
