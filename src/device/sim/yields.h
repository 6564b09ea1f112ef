// Note [Cores that others want]
// A thread that yields a core which nobody wants has it back at once. Where somebody does, it is behind all of them,
// and has it back when they have had their turns: milliseconds, though what it waits for may be done by then. One that
// sleeps has it as soon as it is woken. Whether a core is wanted, only a yield tells. So one that took long is paid
// for: for sixteen times as long its thread goes to sleep without one.
#pragma once

#include <cstdint>

namespace lutra {

// What a thread has seen of its yields. Times are in nanoseconds of one clock.
class Yields {
 public:
  bool are_cheap(int64_t now) const { return now >= dear_until_; }
  // One took from `start` to `end`, which is returned.
  int64_t took(int64_t start, int64_t end) {
    if (end - start > kSomebodyRan) dear_until_ = end + 16 * (end - start);
    return end;
  }

 private:
  static constexpr int64_t kSomebodyRan = 50'000;

  int64_t dear_until_ = INT64_MIN;
};

}  // namespace lutra
