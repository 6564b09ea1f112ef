// Decides whether a loop is shared with helper threads, after measuring what late helpers have cost.
//
// Note [Helpers that come late]
// A shared loop ends when its last chunk is done. If a helper loses its core within a chunk, the caller waits, for
// milliseconds on a busy machine. So the time of each shared loop is compared with an estimate of its time on one
// thread: the mean time of the caller's own chunks, times the number of chunks. Loops that touched fresh memory are not
// judged: page faults make a chunk many times slower. After a loop that lost a time t, loops run on one thread for 16
// t, so losses are at most a sixteenth of the time. Time since the end of the previous such period counts towards it.
// Results do not depend on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lutra {

// All times are in nanoseconds of one clock.
class LateHelpers {
 public:
  // Whether a loop that starts now should be shared. A long loop always is: it takes longer than a time slice of the
  // scheduler.
  bool may_share(int64_t now, bool is_long) const { return is_long || now >= alone_until_; }

  // Reports a shared loop of `chunks` chunks; `own_chunk` is the mean time of the caller's own. count_faults() returns
  // the process' page faults so far.
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
