// Whether the user has pressed Ctrl-C at the prompt while the calling thread computes. A long computation whose result
// is then thrown away may ask, and return early: Lua raises "interrupted!" before anything sees the result.
#pragma once

#include <atomic>
#include <cstdint>

namespace lutra {

class StopRequest {
 public:
  // Whether requests are for the calling thread, from now on.
  static void watch(bool on);
  static bool is_watching();
  // A signal handler on the watching thread may call it.
  static void ask();
  // What ask() sets for the calling thread, for others to set.
  static std::atomic<bool>& flag();
  // The interrupt has been raised. again_us: when to raise it again (CLOCK_MONOTONIC, in microseconds); 0: never.
  static void answer(int64_t again_us = 0);
  static bool is_wanted();
};

}  // namespace lutra
