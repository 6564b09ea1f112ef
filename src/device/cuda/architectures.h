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

// Whether code for these architectures runs on such a card. `driver_compiles`: the driver makes machine code of what is
// compute_80 and the like.
bool runs_on(const std::string& architectures, Capability card, bool driver_compiles = true);

// "13.0", which 13000 stands for.
std::string version_text(int version);

// Whether a driver for that CUDA compiles what this toolkit made: unlike machine code, of no later minor version
// either. 13000 is CUDA 13.0; 0: not known, and taken to.
bool compiles_for(int driver_version, int toolkit_version);

// The sentence about a card whose code such a driver would have to compile, and does not.
std::string only_compiled_text(int driver_version, int toolkit_version);

// The lowest capability of a card that some of it is for.
Capability least_capability(const std::string& architectures);

}  // namespace lutra::cuda
