// Target 18 of the performance plan: page faults of a steady loop that makes 64 MB tensors, and what the pool itself
// costs. Prints ns per pair (the median of nine runs), faults per operation, and beside the loop what malloc does in
// it.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "memory/host_pool.h"

namespace {

using lutra::HostPool;
using lutra::Storage;

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

long page_faults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  }
  return 0;
}

template <class Body> double median_ns(int operations, const Body& body) {
  std::vector<double> runs;
  for (int run = 0; run < 9; ++run) {
    double start = now_ns();
    for (int i = 0; i < operations; ++i) body(i);
    runs.push_back((now_ns() - start) / operations);
  }
  std::sort(runs.begin(), runs.end());
  return runs[runs.size() / 2];
}

// What an op does to its output.
void write_all(std::byte* to, std::size_t bytes) { std::memset(to, 1, bytes); }

void bench_pairs() {
  HostPool pool(std::size_t{8} << 30);
  for (std::size_t bytes : {std::size_t{96}, std::size_t{4096}, std::size_t{1} << 20}) {
    double one = median_ns(200'000, [&](int) { pool.allocate(bytes)->release(); });
    std::vector<Storage*> live(64);
    for (Storage*& storage : live) storage = pool.allocate(bytes);
    double many = median_ns(200'000, [&](int i) {
      Storage*& storage = live[static_cast<std::size_t>(i) * 29 % live.size()];
      storage->release();
      storage = pool.allocate(bytes);
    });
    for (Storage* storage : live) storage->release();
    std::printf("host pool pair, %7zu bytes: %5.1f ns alone, %5.1f ns among 64\n", bytes, one, many);
  }
}

// Three results are alive at a time, as in a loop under a garbage collector.
void bench_loop(std::size_t bytes, int operations) {
  HostPool pool(std::size_t{8} << 30);
  Storage* ring[3] = {};
  auto pooled = [&](int i) {
    Storage*& slot = ring[i % 3];
    if (slot != nullptr) slot->release();
    slot = pool.allocate(bytes);
    write_all(slot->data, bytes);
  };
  for (int i = 0; i < 6; ++i) pooled(i);
  long faults = page_faults();
  double start = now_ns();
  for (int i = 0; i < operations; ++i) pooled(i);
  double pool_ms = (now_ns() - start) / operations / 1e6;
  double pool_faults = static_cast<double>(page_faults() - faults) / operations;
  long resident = resident_kib();
  for (Storage* storage : ring) storage->release();
  pool.trim();
  long trimmed = resident_kib();

  void* blocks[3] = {};
  auto plain = [&](int i) {
    std::free(blocks[i % 3]);
    blocks[i % 3] = std::malloc(bytes);
    write_all(static_cast<std::byte*>(blocks[i % 3]), bytes);
  };
  for (int i = 0; i < 6; ++i) plain(i);
  faults = page_faults();
  start = now_ns();
  for (int i = 0; i < operations; ++i) plain(i);
  double malloc_ms = (now_ns() - start) / operations / 1e6;
  double malloc_faults = static_cast<double>(page_faults() - faults) / operations;
  for (void* block : blocks) std::free(block);
  std::printf(
      "loop of %3zu MB: pool %.2f ms and %.1f faults an op (target 0), %ld MiB resident, %ld after trim; "
      "malloc %.2f ms and %.0f faults\n",
      bytes >> 20, pool_ms, pool_faults, resident >> 10, trimmed >> 10, malloc_ms, malloc_faults);
}

}  // namespace

int main() {
  bench_pairs();
  bench_loop(std::size_t{4} << 20, 500);
  bench_loop(std::size_t{64} << 20, 100);
}
