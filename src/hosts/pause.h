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
  void rest() {
    using std::chrono::microseconds;
    if (std::chrono::steady_clock::now() - start_ < microseconds(500)) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(2 * sleep_, microseconds(2000));
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::microseconds sleep_{20};
};

}  // namespace lutra
