// Note [Helpers that come late]
// A shared loop ends when the last of its threads does. On a busy machine a helper may not run for milliseconds, and
// its caller waits for work that it could have done itself meanwhile. So each shared loop is held against the time it
// would have taken alone: the caller's own piece times the number of pieces. A piece on memory that is touched first
// takes many times as long, and says nothing: where pages were faulted in since the last loss, there was none. Waiting
// is to cost a sixteenth at most: a loop that lost by t is paid for by the 16 t before it, if nothing was lost in them,
// or the caller's short loops run alone until 16 t are over. So what happens now and then costs no more than itself.
// Results do not depend on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lutra {

// Times are in nanoseconds of one clock.
class LateHelpers {
 public:
  // Whether a loop that starts now is to be shared. A long one always is: it outlives a turn of the system's scheduler.
  bool may_share(int64_t now, bool is_long) const { return is_long || now >= alone_until_; }

  // A loop of `pieces` was shared from start to end; the caller's own piece of it took `own`. count_faults() says how
  // many pages the process has had faulted in.
  template <class CountFaults>
  void shared(int64_t start, int64_t end, int64_t own, int64_t pieces, const CountFaults& count_faults) {
    int64_t lost = end - start - own * pieces;
    if (lost <= 0) return;
    if (int64_t before = std::exchange(faults_, count_faults()); faults_ != before) return;
    alone_until_ = std::max(alone_until_, start - 16 * kMostLost) + (end - start) + 16 * std::min(lost, kMostLost);
  }

 private:
  static constexpr int64_t kMostLost = 10'000'000;  // so that helpers are tried again within 0.16 s

  int64_t alone_until_ = 0, faults_ = 0;
};

}  // namespace lutra
