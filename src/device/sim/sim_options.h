// The properties of one simulated GPU, and how the command line and the environment give them. The only place that
// defines which sizes and speeds are allowed.
#pragma once

#include <cstdint>
#include <string_view>

namespace lutra {

inline constexpr int kMostSimulatedGpus = 64;

struct SimOptions {
  double memory_limit_mb = 4096;              // MB are 2^20 bytes
  double gflops = 0, gbps = 0;                // speed of commands: 10^9 operations and bytes a second
  double link_gbps = 0, link_latency_us = 0;  // speed of copies; all four 0: as fast as the host
  uint64_t fail_at = 0;                       // the n-th compute command of each device fails late; 0: none
  bool operator==(const SimOptions&) const = default;
};

// Fails (InvalidArgument), naming `who` and the option, unless `options` are allowed.
void check_sim_options(const char* who, const SimOptions& options);

// Reads "4", or "4:1024" for cards of 1024 MB each. Returns false and changes nothing for any other text.
bool parse_sim_gpus(std::string_view text, int* count, SimOptions* each);

}  // namespace lutra
