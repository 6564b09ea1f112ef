// When the commands of a card's stream ran: an event before and one behind each, read once the command is known to have
// run. A command costs two more calls of the driver while this is on. If the driver refuses an event, the time is
// unknown; the command does not fail.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "device/cuda/card.h"
#include "device/stream_times.h"

namespace lutra::cuda {

class CommandTimes {
 public:
  explicit CommandTimes(Card& card) : card_(card) {}
  ~CommandTimes();
  CommandTimes(const CommandTimes&) = delete;

  // Waits for the stream, to compare the card's clock with the host's.
  void start(StreamHandle stream) noexcept;
  void stop() noexcept;
  bool is_on() const { return base_ != nullptr; }

  // Around the queuing of a command.
  void begin(StreamHandle stream) noexcept;
  void end(StreamHandle stream, uint64_t seq, Ticket awaited) noexcept;

  // Appends the times of commands up to `reached`, which have run.
  void take(uint64_t reached, std::vector<CommandTime>& out);

 private:
  struct Timed {
    uint64_t seq;
    EventHandle begin, end;
    Ticket awaited;
  };
  EventHandle record(StreamHandle stream) noexcept;
  void give_back(EventHandle event);
  bool since_base(EventHandle event, int64_t* ns) const;

  Card& card_;
  EventHandle base_ = nullptr;  // happened at base_ns_
  int64_t base_ns_ = 0;
  EventHandle begun_ = nullptr;  // before the command that is being queued
  std::deque<Timed> timed_;
  std::vector<EventHandle> free_;
};

}  // namespace lutra::cuda
