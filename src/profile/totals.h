// Where a trace's time went: by op, by line, by device, with each one's share of what the machine could do; which
// copies cost most; and for what devices waited.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/trace.h"

namespace lutra {

// Kernels of one op on one kind of device, or of one line.
struct KernelTotal {
  std::string name;   // "MatMul on GPU", "train.lua:7"
  int64_t count = 0;  // kernels
  int64_t total_ns = 0, longest_ns = 0;
  int64_t host_ns = 0;  // what preparing and queuing took on the host, without the kernel itself
  double flops = 0, bytes = 0;
  double limit_ns = 0;   // the least time that the devices' limits allow, of the kernels whose device has known limits
  int64_t known_ns = 0;  // how long those took
  int64_t copied_bytes = 0;  // of lines: by copies that they caused

  double mean_ns() const { return count > 0 ? static_cast<double>(total_ns) / static_cast<double>(count) : 0; }
  double gflops() const { return total_ns > 0 ? flops / static_cast<double>(total_ns) : 0; }
  double gbps() const { return total_ns > 0 ? bytes / static_cast<double>(total_ns) : 0; }
  // From 0 to 1, or more where data stays in a cache; negative if no limit is known.
  double share_of_limit() const { return known_ns > 0 ? limit_ns / static_cast<double>(known_ns) : -1; }
};

struct CopiesTotal {
  std::string line, from, to, why;
  int64_t count = 0, bytes = 0, total_ns = 0;
};

// The device had nothing to do between two kernels.
struct GapTotal {
  std::string device;  // "GPU:0"
  std::string cause;   // "the host waits (read) for MatMul on GPU:0", "the host prepares Add", "the host runs Lua"
  std::string line;    // of the kernel that ended the gaps
  int64_t count = 0, total_ns = 0, longest_ns = 0;
};

struct DeviceTotal {
  std::string name;
  int64_t kernels = 0, busy_ns = 0, copy_ns = 0, copied_bytes = 0, wait_ns = 0;
  int64_t peak_bytes = -1;  // -1: not traced
  // The time of its kernels over the time of other GPUs' kernels. Only ops of lines count that both computed, such as
  // those of replicas. 0: no other GPU computed the same.
  double of_others = 0;
};

struct Totals {
  std::vector<KernelTotal> ops, lines;  // longest first
  std::vector<CopiesTotal> copies;
  std::vector<GapTotal> gaps;
  std::vector<DeviceTotal> devices;
  int64_t length_ns = 0;
  int64_t host_op_ns = 0, host_kernel_ns = 0, host_wait_ns = 0;  // of the host's time; the rest is Lua
  std::string limits;                                            // what the shares are of, a sentence for each device
};

// Measures the machine's peak the first time (machine_peak.h).
Totals total_up(const Trace& trace);

}  // namespace lutra
