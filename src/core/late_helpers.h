// Note [Helpers that come late]
// A shared loop ends when its last chunk is done. A helper that loses its core within a chunk makes the caller wait,
// for milliseconds on a busy machine. So each shared loop is compared with the time it would have taken alone: the mean
// time of the caller's own chunks, times the number of chunks. Loops in which memory was touched first are left out:
// page faults make a chunk many times as slow. A loop that lost t is followed by loops on one thread until 16 t have
// passed, counted from the last loss, so waiting costs a sixteenth at most. Results do not depend on it.
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

  // A loop of `chunks` was shared from start to end; a chunk of the caller's own took `own_chunk`. count_faults() says
  // how many pages the process has had faulted in.
  template <class CountFaults>
  void shared(int64_t start, int64_t end, int64_t own_chunk, int64_t chunks, const CountFaults& count_faults) {
    int64_t lost = end - start - own_chunk * chunks;
    if (lost <= 0) return;
    if (int64_t before = std::exchange(faults_, count_faults()); faults_ != before) return;
    alone_until_ = std::max(alone_until_, start - 16 * kMostLost) + (end - start) + 16 * std::min(lost, kMostLost);
  }

 private:
  static constexpr int64_t kMostLost = 10'000'000;  // so that helpers are tried again within 0.16 s

  int64_t alone_until_ = 0, faults_ = 0;
};

}  // namespace lutra
