// Loops over elements on several threads. How many is a matter of the calling thread, so that interpreters on different
// threads, or taking turns on one, do not change each other's number.
#pragma once

#include <cstdint>

namespace lutra {

// Calls body(begin, end) on disjoint ranges that cover [0, count). Work on `grain` elements, some 10 us, is worth a
// thread. Threads claim ranges as they come to them, so their number and lengths differ from call to call. What body
// throws, once where several do, is thrown again when all have ended.
template <class Body> void parallel_for(int64_t count, int64_t grain, const Body& body);
// The same with ranges that begin at multiples of `unit`.
template <class Body> void parallel_for(int64_t count, int64_t grain, int64_t unit, const Body& body);

// How many threads parallel_for uses at most when this thread calls it, itself included: the number said, or its share,
// and never more than the system gave when they were first asked for. 1 within a parallel loop.
int max_threads();
// For the calling thread, from now on. 0: its share, process_threads() (core/usable_cores.h) divided by the threads
// alive that have a share. One store: said anew before every op.
void set_max_threads(int threads);
// How many threads beside the caller the system gives this process now, at most `wanted`. They are started and ended,
// which takes some 20 us each.
int obtainable_threads(int wanted);

namespace detail {
// Not said through a function call: liblutra.so and lutra.so reach it as directly as a program does.
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
