// Target 20 of the performance plan: one allocate and one free of an Arena, sizes log-uniform from 256 B to 64 MiB,
// random ones of the live blocks freed. Prints ns per pair, the median of nine runs, and the limit to arrive at.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "addresses_only.h"
#include "memory/arena.h"

namespace {

using lutra::Arena;
using lutra::bench::AddressesOnly;

struct Trace {
  std::vector<std::size_t> sizes;
  std::vector<uint32_t> victims;
};

Trace make_trace(std::size_t pairs, uint32_t live, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(8, 26);
  Trace trace;
  for (std::size_t i = 0; i < pairs; ++i) {
    trace.sizes.push_back(static_cast<std::size_t>(std::exp2(exponent(random))));
    trace.victims.push_back(static_cast<uint32_t>(random() % live));
  }
  return trace;
}

void bench(uint32_t live, bool growth, double target_ns) {
  constexpr std::size_t kPairs = 200'000;
  std::vector<double> runs;
  lutra::ArenaStats stats;
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    Trace fill = make_trace(live, live, seed + 100);
    Trace trace = make_trace(2 * kPairs, live, seed);
    AddressesOnly pages;
    Arena arena(pages, {.limit_bytes = std::size_t{32} << 40, .growth = growth});
    std::vector<Arena::Chunk*> chunks;
    for (std::size_t size : fill.sizes) chunks.push_back(arena.allocate(size));
    auto pass = [&](std::size_t from) {
      auto start = std::chrono::steady_clock::now();
      for (std::size_t i = from; i < from + kPairs; ++i) {
        Arena::Chunk*& chunk = chunks[trace.victims[i]];
        arena.free(chunk, i);
        chunk = arena.allocate(trace.sizes[i]);
      }
      return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / kPairs;
    };
    pass(0);  // to the steady state
    runs.push_back(pass(kPairs));
    stats = arena.stats();
  }
  std::sort(runs.begin(), runs.end());
  std::printf("arena pair, %6u live, %s: %5.1f ns (%.1f to %.1f)", live, growth ? "growth" : "filled",
              runs[runs.size() / 2], runs.front(), runs.back());
  if (target_ns > 0) std::printf(", target %.0f", target_ns);
  if (growth) {
    std::printf("; peak reserved / peak in use %.3f",
                static_cast<double>(stats.peak_reserved_bytes) / static_cast<double>(stats.peak_bytes_in_use));
  }
  std::printf("\n");
}

}  // namespace

int main() {
  bench(1000, false, 60);
  bench(1000, true, 60);
  bench(100, false, 0);
  bench(100'000, false, 0);
}
