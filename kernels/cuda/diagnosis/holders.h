// Which other programs hold a card's memory: from the driver's management library (NVML) if it is there, else from who
// has the card's device file open. Programs of other users, and those outside a container, may be invisible.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/system.h"

namespace lutra::cuda {

struct Holder {
  int process = 0;
  std::optional<std::size_t> bytes;  // if the driver gives it
};

// What NVML reports for the card at that PCI address; nothing if NVML is missing or refuses.
std::optional<std::vector<Holder>> holders_by_driver(const System& system, const std::string& bus);

// Processes that have the file open.
std::vector<Holder> holders_by_file(const System& system, const std::string& file);

// "python3 (process 4711, 5.00GiB), ..." for all but this process; "" if none is visible.
std::string holders_text(const System& system, const std::string& bus);

// The N of the card's /dev/nvidia<N>, by PCI address; -1 if the driver does not give it.
int minor_of(const System& system, const std::string& bus);

}  // namespace lutra::cuda
