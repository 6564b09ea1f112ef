// Loops over elements on several threads. The number of threads is a setting of the calling thread, so interpreters on
// different threads, or alternating on one, do not change each other's.
#pragma once

#include <cstdint>

namespace lutra {

// Calls body(begin, end) on disjoint ranges that cover [0, count). `grain` is the number of elements that are worth a
// thread: some 10 us of work. Threads claim ranges as they become free, so number and lengths of ranges differ from
// call to call. If body throws, one of the exceptions is rethrown after all ranges have ended. A loop of many grains
// throws LoopStopped between two ranges if the user has pressed Ctrl-C (core/stop_request.h).
template <class Body> void parallel_for(int64_t count, int64_t grain, const Body& body);
// The same, with ranges that begin at multiples of `unit`.
template <class Body> void parallel_for(int64_t count, int64_t grain, int64_t unit, const Body& body);

// The most threads that parallel_for uses when this thread calls it, including itself: the number set, or the thread's
// share, but no more than the system granted when helpers were first started. 1 within a parallel loop.
int max_threads();
// Sets the number for the calling thread. 0: its share, which is process_threads() (core/usable_cores.h) divided by the
// number of living threads that use a share. One store, so it can be set before every op.
void set_max_threads(int threads);
// How many threads besides the caller the system grants this process now, at most `wanted`. They are started and ended,
// which takes some 20 us each.
int obtainable_threads(int wanted);

namespace detail {
// Set without a function call; initial-exec makes it as direct in liblutra.so and lutra.so as in a program.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local int wanted_threads;
inline constexpr int64_t kAnyUnit = 0;
void parallel_ranges(int64_t count, int64_t grain, int64_t unit,
                     void (*range)(const void* body, int64_t begin, int64_t end), const void* body);
}  // namespace detail

inline void set_max_threads(int threads) { detail::wanted_threads = threads; }

template <class Body> void parallel_for(int64_t count, int64_t grain, int64_t unit, const Body& body) {
  if (count <= grain) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  detail::parallel_ranges(
      count, grain, unit, [](const void* b, int64_t begin, int64_t end) { (*static_cast<const Body*>(b))(begin, end); },
      &body);
}
template <class Body> void parallel_for(int64_t count, int64_t grain, const Body& body) {
  parallel_for(count, grain, detail::kAnyUnit, body);
}

}  // namespace lutra
