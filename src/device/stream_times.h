// When the commands of a stream ran, and when the host waited for them: for traces and measured costs. Off at first.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "device/stream.h"

namespace lutra {

// When a command ran, by the steady clock (core/clock.h).
struct CommandTime {
  uint64_t seq;
  int64_t begin_ns, end_ns;
  Ticket awaited;  // of a command that only waits: for what
};

// The host waited until command `seq` was done.
struct HostWait {
  uint64_t seq;
  int64_t begin_ns, end_ns;
  const char* why;
};

class TimedStream : public Stream {
 public:
  ~TimedStream() override { keep_none(); }

  // Whether to note when commands queued from now on run, and when the host waits. For one caller.
  void keep_times(bool on);
  bool keeps_times() const { return keeps_times_.load(std::memory_order_relaxed); }
  // Moves the times of commands that have ended, in order, and of waits to the ends of the lists.
  void take_times(std::vector<CommandTime>& commands, std::vector<HostWait>& waits);
  // The host has waited for `seq` since `begin_ns`.
  void note_wait(uint64_t seq, const char* why, int64_t begin_ns) noexcept;

  // Whether any stream of the process keeps times: a quick no.
  static bool any() { return count_.load(std::memory_order_relaxed) > 0; }

 protected:
  virtual void keep_command_times(bool on) = 0;
  virtual void take_command_times(std::vector<CommandTime>& out) = 0;

 private:
  void keep_none();

  static std::atomic<int> count_;
  std::atomic<bool> keeps_times_{false};
  std::mutex mutex_;
  std::vector<HostWait> waits_;
};

// Notes how long the host waits for a ticket, if its stream keeps times. `why`: "read", "synchronize".
class NotedWait {
 public:
  NotedWait(Ticket ticket, const char* why) : seq_(ticket.seq), why_(why) {
    if (ticket && TimedStream::any()) [[unlikely]]
      begin(ticket);
  }
  ~NotedWait() {
    if (stream_ != nullptr) [[unlikely]]
      stream_->note_wait(seq_, why_, begin_ns_);
  }
  NotedWait(const NotedWait&) = delete;

 private:
  void begin(Ticket ticket);

  TimedStream* stream_ = nullptr;  // null: not noted
  uint64_t seq_;
  const char* why_;
  int64_t begin_ns_ = 0;
};

inline void host_wait(Ticket ticket, const char* why) {
  const NotedWait noted(ticket, why);
  host_wait(ticket);
}

}  // namespace lutra
