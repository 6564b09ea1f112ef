#include "device/cuda/command_times.h"

#include <utility>

#include "core/clock.h"

namespace lutra::cuda {
namespace {

// The driver counts milliseconds in single precision: after so long, microseconds would be lost.
constexpr int64_t kLongestSinceBaseNs = 1'000'000'000;

}  // namespace

CommandTimes::~CommandTimes() {
  stop();
  if (!card_.try_use()) return;
  for (EventHandle event : free_) card_.driver.destroy_event(event);
}

EventHandle CommandTimes::record(StreamHandle stream) noexcept {
  EventHandle event = nullptr;
  if (free_.empty()) {
    if (card_.driver.create_event(&event, 0) != kSuccess) return nullptr;
  } else {
    event = free_.back();
    free_.pop_back();
  }
  if (card_.driver.record_event(event, stream) == kSuccess) return event;
  give_back(event);
  return nullptr;
}

void CommandTimes::give_back(EventHandle event) {
  if (event != nullptr) free_.push_back(event);
}

void CommandTimes::start(StreamHandle stream) noexcept {
  if (is_on() || !card_.try_use() || card_.driver.synchronize_stream(stream) != kSuccess) return;
  // The event happens between two readings of the host's clock: the closest two of a few tries.
  constexpr int kTries = 5;
  int64_t least = INT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const int64_t before = now_ns();
    EventHandle event = record(stream);
    if (event == nullptr) return;
    if (card_.driver.synchronize_event(event) != kSuccess) return give_back(event);
    const int64_t after = now_ns();
    if (after - before >= least) {
      give_back(event);
      continue;
    }
    least = after - before;
    base_ns_ = before + least / 2;
    give_back(std::exchange(base_, event));
  }
}

void CommandTimes::stop() noexcept {
  give_back(std::exchange(base_, nullptr));
  give_back(std::exchange(begun_, nullptr));
  for (const Timed& each : timed_) {
    give_back(each.begin);
    give_back(each.end);
  }
  timed_.clear();
}

void CommandTimes::begin(StreamHandle stream) noexcept {
  // Of a command that could not be queued, the event is still there.
  give_back(std::exchange(begun_, nullptr));
  begun_ = record(stream);
}

void CommandTimes::end(StreamHandle stream, uint64_t seq, Ticket awaited) noexcept {
  EventHandle before = std::exchange(begun_, nullptr);
  if (before == nullptr) return;
  EventHandle after = record(stream);
  if (after == nullptr) return give_back(before);
  timed_.push_back({seq, before, after, awaited});
}

bool CommandTimes::since_base(EventHandle event, int64_t* ns) const {
  float milliseconds = 0;
  if (card_.driver.elapsed_time(&milliseconds, base_, event) != kSuccess) return false;
  *ns = base_ns_ + static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  return true;
}

void CommandTimes::take(uint64_t reached, std::vector<CommandTime>& out) {
  if (!is_on() || !card_.try_use()) return;
  while (!timed_.empty() && timed_.front().seq <= reached) {
    const Timed timed = timed_.front();
    timed_.pop_front();
    CommandTime time{timed.seq, 0, 0, timed.awaited};
    // The command is known to have run by an event that may lie before `end`: then it is there any moment.
    const bool has_ended = card_.driver.synchronize_event(timed.end) == kSuccess;
    if (has_ended && since_base(timed.begin, &time.begin_ns) && since_base(timed.end, &time.end_ns)) {
      out.push_back(time);
      if (time.end_ns - base_ns_ > kLongestSinceBaseNs) {
        give_back(timed.begin);
        give_back(std::exchange(base_, timed.end));
        base_ns_ = time.end_ns;
        continue;
      }
    }
    give_back(timed.begin);
    give_back(timed.end);
  }
}

}  // namespace lutra::cuda
