// `lutra doctor`: why a GPU is used or not, and whether every device computes correctly. See docs/cuda.md.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "device/finding.h"

namespace lutra {

// Checks the machine, runs a few ops on every device, and prints the findings on stdout. Returns the exit status: 0 if
// everything present works, 1 if something present cannot be used.
int run_doctor(const Options& options);

// Whether every finding is Ok or a Note.
bool all_well(const std::vector<Finding>& findings);
std::string doctor_text(const std::vector<Finding>& findings);
std::string doctor_json(const std::vector<Finding>& findings);

// Whether several processes can train together; tries a sum by two of them (0.6 s).
Finding mpi_finding();
// Runs ops on the CPU (number -1) or on one of the GPUs, with 64 MB of memory, and compares their results with the
// right ones.
Finding try_device(const Options& options, int number);
// The names of the GPUs that a script would find, by number.
std::vector<std::string> names_of_gpus(const Options& options);

}  // namespace lutra
