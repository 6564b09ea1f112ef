// The machine's limits: multiply-adds of float32 in registers, and memory bandwidth by the size of what is touched,
// measured with plain loops on every thread at once.
#pragma once

#include <cstddef>

namespace lutra {

// Each is the best of five pieces of so many seconds. Threads are started for it, each with its share of the elements;
// fewer than 10,000 are not shared out.
double peak_gflops(int threads, double piece_seconds);
struct MemoryRates {
  double read, write, triad;  // GB/s; triad: a = b + s * c
};
MemoryRates peak_memory_rates(std::size_t elements, int threads, double piece_seconds);

struct MachinePeak {
  double gflops = 0;
  // GB/s of the triad, for arrays of together at most so many bytes: small ones stay in a cache.
  double gbps[4] = {}, up_to_bytes[4] = {};
  double gbps_for(double bytes) const;
};

// Measured once per number of threads, in about a quarter of a second.
const MachinePeak& machine_peak(int threads);

}  // namespace lutra
