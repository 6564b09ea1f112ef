#include "device/stream_times.h"

#include "core/clock.h"

namespace lutra {

std::atomic<int> TimedStream::count_{0};

void TimedStream::keep_times(bool on) {
  if (!on) {
    keep_none();
    return keep_command_times(false);
  }
  if (!keeps_times_.exchange(true)) count_.fetch_add(1);
  keep_command_times(true);
}

void TimedStream::keep_none() {
  if (keeps_times_.exchange(false)) count_.fetch_sub(1);
}

void TimedStream::take_times(std::vector<CommandTime>& commands, std::vector<HostWait>& waits) {
  take_command_times(commands);
  std::lock_guard lock(mutex_);
  waits.insert(waits.end(), waits_.begin(), waits_.end());
  waits_.clear();
}

void TimedStream::note_wait(uint64_t seq, const char* why, int64_t begin_ns) noexcept {
  const int64_t end_ns = now_ns();
  try {
    std::lock_guard lock(mutex_);
    waits_.push_back({seq, begin_ns, end_ns, why});
  } catch (...) {
    // No memory: the wait is not noted.
  }
}

void NotedWait::begin(Ticket ticket) {
  auto* stream = dynamic_cast<TimedStream*>(ticket.stream);
  if (stream == nullptr || !stream->keeps_times() || stream->done(ticket.seq)) return;
  stream_ = stream;
  begin_ns_ = now_ns();
}

}  // namespace lutra
