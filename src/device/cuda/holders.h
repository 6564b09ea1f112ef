// Which other programs have a card's memory: by the driver's management library (NVML) where it is, else by who has the
// card's device file open. Another user's programs, and those outside of a container, may stay unseen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/system.h"

namespace lutra::cuda {

struct Holder {
  int process = 0;
  std::optional<std::size_t> bytes;  // as far as the driver tells
};

// What NVML says of the card at that PCI address; nothing when it is not there or refuses.
std::optional<std::vector<Holder>> holders_by_driver(const System& system, const std::string& bus);

// Who has the file open.
std::vector<Holder> holders_by_file(const System& system, const std::string& file);

// "python3 (process 4711, 5.00GiB), ..." of all but this process; "" when nobody is seen.
std::string holders_text(const System& system, const std::string& bus);

// /dev/nvidia<this> is the card's at that PCI address; -1 where the driver does not say.
int minor_of(const System& system, const std::string& bus);

}  // namespace lutra::cuda
