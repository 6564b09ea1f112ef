// What the plugin's code is for, as nvcc calls it: "sm_90 compute_80", machine code for Hopper and what the driver
// compiles for any card from 8.0 on.
#pragma once

#include <compare>
#include <string>

namespace lutra::cuda {

struct Capability {  // "compute capability 8.6" of a card
  int major = 0, minor = 0;
  auto operator<=>(const Capability&) const = default;
};

// Whether code for these architectures runs on such a card.
bool runs_on(const std::string& architectures, Capability card);

// The lowest capability of a card that some of it is for.
Capability least_capability(const std::string& architectures);

}  // namespace lutra::cuda
