// A card's queue. Commands are numbered here. An event is recorded only every kCommandsPerEvent commands, or when a
// caller asks how far the stream has come; so a command alone costs one call of the driver. A wait that was not yet
// over when it was queued counts as a command. Copies from host memory are staged: the source may change on return.
// Copies to host memory are complete on return. In a forked child, and if the card is lost, nothing is queued any
// longer and waits end at once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "device/cuda/card.h"
#include "device/cuda/command_times.h"
#include "device/cuda/fault_slots.h"
#include "device/cuda/staging.h"
#include "device/stream_batch.h"
#include "device/stream_times.h"

namespace lutra::cuda {

class CudaStream final : public TimedStream, public BatchingStream {
 public:
  static constexpr uint64_t kCommandsPerEvent = 32;
  static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
  static constexpr std::size_t kRingBytes = std::size_t{32} << 20;
  static constexpr std::size_t kSmallRingBytes = std::size_t{64} << 10;
  static constexpr std::size_t kSmallBytes = kSmallRingBytes / 4;

  explicit CudaStream(std::shared_ptr<Card> card);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;

  // Queues the work of start(stream, slot), which returns the driver's result. `slot` collects the launch's invalid
  // values; it is null unless tell is given. tell(record, slot) is called if the command found one, after it has run.
  template <class Start>
  Ticket launch(const char* what, void* record, void (*tell)(void*, const FaultSlot&), const Start& start) {
    card_->use();
    begin_command();
    FaultSlot* slot = record != nullptr ? faults_.take() : nullptr;
    Result result = kSuccess;
    try {
      result = start(stream_, slot);
    } catch (...) {
      forget_launch(slot);
      throw;
    }
    if (result != kSuccess) [[unlikely]] {
      forget_launch(slot);
      card_->require(result, what);
    }
    Ticket ticket = queued();
    if (slot != nullptr) {
      pending_.push_back({ticket.seq, slot, record, tell});
      if (!is_collecting_) mark_tail();  // whoever queries the mistakes waits for this launch and no later one
    }
    return ticket;
  }

  // Runs a host function between the card's commands; it must not call the driver.
  Ticket submit(void (*run)(void* args), const void* args, std::size_t bytes,
                void (*relocate)(void* copy, const void* original)) override;
  Ticket copy(const CopyRequest& request, bool carry) override;
  void wait_for(Ticket ticket) override;
  void host_wait(uint64_t seq) override;
  bool done(uint64_t seq) override;
  void check() const override { card_->require_alive(); }
  bool retire() override { return !card_->is_forked(); }
  uint64_t tail() const override { return tail_; }

  // A batch is a CUDA graph. While the stream keeps times there is none.
  void begin_batch(std::unique_ptr<CommandBatch>& kept) override;
  bool end_batch() override;
  void repeat_batch(CommandBatch& kept) override;

  Card& card() const { return *card_; }
  // For work that others queue directly; a launch() afterwards counts it as a command.
  StreamHandle handle() const { return stream_; }

 protected:
  void keep_command_times(bool on) override;
  void take_command_times(std::vector<CommandTime>& out) override;

 private:
  struct Mark {  // the event is complete when command `seq` is
    uint64_t seq;
    EventHandle event;
  };
  struct PendingFault {
    uint64_t seq;
    FaultSlot* slot;
    void* record;
    void (*tell)(void* record, const FaultSlot& slot);
  };

  // Around the queuing of each command. `awaited`: of one that only waits, for what.
  void begin_command() {
    if (times_.is_on()) [[unlikely]]
      times_.begin(stream_);
  }
  Ticket queued(Ticket awaited = {});
  // Cleans up after a launch of several kernels, or a copy in pieces, that failed with some already queued: waits for
  // them.
  void forget_launch(FaultSlot* slot);
  void mark_tail();
  // Ends the collecting of commands and queues those that were collected. The tail has an event only if it is due.
  void queue_collected();
  void mark_if_due();
  // The event that completes once command `seq`, not yet known to be done, has run.
  EventHandle event_for(uint64_t seq);
  void reach(uint64_t seq);
  void ask();
  bool is_dead() const { return card_->is_lost() || card_->is_forked(); }
  StagingRing& ring_for(std::size_t bytes) { return bytes <= kSmallBytes ? small_ring_ : ring_; }
  void copy_in(std::byte* to, const std::byte* from, std::size_t bytes);
  void copy_out(std::byte* to, const std::byte* from, std::size_t bytes);

  std::shared_ptr<Card> card_;
  StreamHandle stream_ = nullptr;
  uint64_t tail_ = 0;
  uint64_t reached_ = 0;  // commands known to have run
  std::deque<Mark> marks_;
  std::vector<EventHandle> events_;  // for reuse
  std::deque<PendingFault> pending_;
  FaultSlots faults_;
  StagingRing small_ring_, ring_;
  CommandTimes times_;
  bool is_collecting_ = false;
  uint64_t collected_after_ = 0;                   // the last command before them
  std::unique_ptr<CommandBatch>* kept_ = nullptr;  // of the batch that has begun
};

}  // namespace lutra::cuda
