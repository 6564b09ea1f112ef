// The machine's limits at the sizes of tests/bench/grid.lua. grid_peak [THREADS [ELEMENTS...]] prints `fma THREADS
// GFLOP/s` and `KIND ELEMENTS THREADS GB/s` for read, write and triad.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "profile/machine_peak.h"

int main(int count, char** words) {
  constexpr double kPieceSeconds = 0.02;
  int threads = count > 1 ? std::atoi(words[1]) : static_cast<int>(std::thread::hardware_concurrency());
  threads = std::max(1, threads);
  std::printf("fma %d %.1f GFLOP/s\n", threads, lutra::peak_gflops(threads, kPieceSeconds));
  std::vector<std::size_t> sizes;
  for (int i = 2; i < count; ++i) sizes.push_back(static_cast<std::size_t>(std::max(1.0, std::atof(words[i]))));
  if (count < 2) sizes = {1'000, 100'000, 10'000'000};
  for (std::size_t elements : sizes) {
    const lutra::MemoryRates rates = lutra::peak_memory_rates(elements, threads, kPieceSeconds);
    std::printf("read %zu %d %.1f GB/s\n", elements, threads, rates.read);
    std::printf("write %zu %d %.1f GB/s\n", elements, threads, rates.write);
    std::printf("triad %zu %d %.1f GB/s\n", elements, threads, rates.triad);
  }
}
