// The architectures that the plugin's code is compiled for, in nvcc's notation: "sm_90 compute_80" is machine code for
// Hopper, and code that the driver compiles for any card from 8.0 on.
#pragma once

#include <compare>
#include <string>

namespace lutra::cuda {

struct Capability {  // "compute capability 8.6" of a card
  int major = 0, minor = 0;
  auto operator<=>(const Capability&) const = default;
};

// Whether code for these architectures runs on a card of this capability. `driver_compiles`: whether the driver can
// compile the code for compute_80 and the like.
bool runs_on(const std::string& architectures, Capability card, bool driver_compiles = true);

// 13000 -> "13.0"
std::string version_text(int version);

// Whether a driver for that CUDA version compiles code from this toolkit. Unlike machine code, it must not be from a
// later minor version either. 13000 is CUDA 13.0; 0: not known, assumed to fit.
bool compiles_for(int driver_version, int toolkit_version);

// The message about a card whose code the driver would have to compile and cannot.
std::string only_compiled_text(int driver_version, int toolkit_version);

// The lowest capability among these architectures.
Capability least_capability(const std::string& architectures);

}  // namespace lutra::cuda
