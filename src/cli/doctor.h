// `lutra doctor`: why a GPU is used or not, and whether what is here computes. See docs/cuda.md.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "device/finding.h"

namespace lutra {

// Looks at everything, runs a few ops on every device, prints what it found on stdout. Returns the exit status: 0 when
// all that is here works, 1 when something that is here cannot be used.
int run_doctor(const Options& options);

// Whether every finding is Ok or a Note.
bool all_well(const std::vector<Finding>& findings);
std::string doctor_text(const std::vector<Finding>& findings);
std::string doctor_json(const std::vector<Finding>& findings);

// Ops on the CPU (number -1) or on one of the GPUs, in memory of 64 MB, compared with what they must give.
Finding try_device(const Options& options, int number);
// What the GPUs are called that a script would find, by number.
std::vector<std::string> names_of_gpus(const Options& options);

}  // namespace lutra
