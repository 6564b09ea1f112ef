// One pool of threads for loops over elements. The only file that knows OpenMP is parallel.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lutra {

inline constexpr int kMostThreads = 1024;

// Calls body(begin, end) on disjoint ranges that cover [0, count), each but the last a multiple of `grain` long; on the
// caller's thread alone when count <= grain. `body` must not throw.
template <class Body> void parallel_for(int64_t count, int64_t grain, const Body& body);

// The number of threads parallel_for uses on this thread at most; 1 on a simulated GPU's workers and in a forked child.
int max_threads();
// 0: as many as the machine offers (LUTRA_NUM_THREADS, then the cores this process may run on).
void set_max_threads(int threads);
// What LUTRA_NUM_THREADS may be: "0" (no word on it) to "1024"; nothing for any other text.
std::optional<int> parse_threads(std::string_view text);
// For a worker thread that computes beside others: its loops stay on it.
void use_one_thread_here();

namespace detail {
void parallel_ranges(int64_t count, int64_t grain, void (*range)(const void* body, int64_t begin, int64_t end),
                     const void* body);
}

template <class Body> void parallel_for(int64_t count, int64_t grain, const Body& body) {
  if (count <= grain) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  detail::parallel_ranges(
      count, grain, [](const void* b, int64_t begin, int64_t end) { (*static_cast<const Body*>(b))(begin, end); },
      &body);
}

}  // namespace lutra
