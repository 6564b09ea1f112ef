// Waiting for messages without a wake-up: first by yielding the core, since an answer takes microseconds; after a while
// by sleeping, longer each time, since other threads need the core.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace lutra {

class Pause {
 public:
  using microseconds = std::chrono::microseconds;
  // Yields for the first time given, and later sleeps at most for the second.
  explicit Pause(microseconds yields = microseconds(500), microseconds most = microseconds(2000))
      : yields_(yields), most_(most) {}

  // `is_aside`: other threads compute meanwhile, so it sleeps from the first on.
  void rest(bool is_aside = false) {
    if (!is_aside && std::chrono::steady_clock::now() - start_ < yields_) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(2 * sleep_, is_aside ? std::min(most_, microseconds(200)) : most_);
  }

 private:
  const microseconds yields_, most_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  microseconds sleep_{20};
};

}  // namespace lutra
