// Whether the user has pressed Ctrl-C while the calling thread computes. A long computation may ask, and return early
// with a meaningless result: the op that it belongs to then fails, and Lua raises "interrupted!".
#pragma once

#include <atomic>
#include <cstdint>

namespace lutra {

// The requests of one thread that runs Lua.
struct StopRequests {
  std::atomic<bool> wanted{false};
  std::atomic<bool> heeded{false};  // is_wanted() was true since the last answer()
  int64_t again_at_us = 0;
  bool is_watching = false;
  bool ends_waits = false;
};

namespace detail {
// Read after every op without a function call; initial-exec makes it as direct in liblutra.so and lutra.so as in a
// program.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local StopRequests stop_requests;
}  // namespace detail

// What a long parallel loop throws when it ends early (core/parallel.h); StopRequest::was_heeded() is true then.
struct LoopStopped {};

class StopRequest {
 public:
  // Whether requests are for the calling thread, from now on, and whether they also end its waits for devices. That
  // makes a read of a device two waits instead of one.
  static void watch(bool on, bool ends_waits = false);
  static bool is_watching() { return watched() != nullptr; }
  static bool ends_waits() { return detail::stop_requests.ends_waits; }
  // A signal handler on the watching thread may call it.
  static void ask();
  // What ask() sets for the calling thread, for others to set.
  static std::atomic<bool>& flag();
  // The interrupt has been raised. again_us: when to raise it again (CLOCK_MONOTONIC, in microseconds); 0: never.
  static void answer(int64_t again_us = 0);
  // True: return early. Also on threads that help the thread that is asked.
  static bool is_wanted();
  // Whether a computation may have returned early.
  static bool was_heeded() { return detail::stop_requests.heeded.load(std::memory_order_relaxed); }

  // The requests that the calling thread watches, or null.
  static StopRequests* watched();
  // From now on the calling thread, which helps another, watches those. Null: its own.
  static void watch_for(StopRequests* requests);
};

}  // namespace lutra
