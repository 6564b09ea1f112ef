// Note [Cores that others want]
// A thread that yields a core which no other thread wants gets it back at once. Otherwise it is queued behind all the
// others and gets the core back after their time slices: milliseconds later, though what it waits for may be done by
// then. A sleeping thread gets a core as soon as it is woken. Only a yield shows whether a core is wanted. So after a
// slow yield, a thread sleeps without yielding first for sixteen times as long as the yield took.
#pragma once

#include <cstdint>

namespace lutra {

// A thread's experience with its yields. Times are in nanoseconds of one clock.
class Yields {
 public:
  bool are_cheap(int64_t now) const { return now >= dear_until_; }
  // Reports a yield from `start` to `end`. Returns `end`.
  int64_t took(int64_t start, int64_t end) {
    if (end - start > kSomebodyRan) dear_until_ = end + 16 * (end - start);
    return end;
  }

 private:
  static constexpr int64_t kSomebodyRan = 50'000;

  int64_t dear_until_ = INT64_MIN;
};

}  // namespace lutra
