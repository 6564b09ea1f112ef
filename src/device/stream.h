// A queue of work on a device, and the tickets that order queues among each other.
// A Ticket exists only once its command is queued, so a wait points to an earlier submission and queues cannot
// deadlock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lutra {

class Stream;

// The seq-th command of a stream. The empty ticket is always done.
struct Ticket {
  Stream* stream = nullptr;
  uint64_t seq = 0;
  explicit operator bool() const { return stream != nullptr; }
};

// Bytes to move. A host side that is small is carried in the command itself.
struct CopyRequest {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;

  // Queues run(args), with a copy of the `bytes` at `args` that `relocate` (may be null) has mended for its new
  // address. Done at once on the CPU.
  virtual Ticket submit(void (*run)(void* args), const void* args, std::size_t bytes,
                        void (*relocate)(void* copy, const void* original)) = 0;
  // Queues a copy. `from` must stay as it is until the ticket is done, unless `carry` says that it may change on
  // return.
  virtual Ticket copy(const CopyRequest& request, bool carry) = 0;
  // What is submitted from now on runs after `ticket`, which may be another stream's.
  virtual void wait_for(Ticket ticket) = 0;
  // Blocks the caller. Ends also when the command failed.
  virtual void host_wait(uint64_t seq) = 0;
  virtual bool done(uint64_t seq) = 0;
  // optional: fails (Internal) when the device was lost, so that nothing it computed can be trusted.
  virtual void check() const {}
  // optional: fails (ResourceExhausted) if the bytes that a copy brought to host memory were never computed. Asked once
  // per copy, after it is done.
  virtual void check_arrived([[maybe_unused]] const std::byte* at, [[maybe_unused]] std::size_t bytes) {}
  // optional: nobody will look at what is queued: it may be passed over. Waits end as if it had run.
  virtual void abandon() {}
  // optional: nothing will be queued for a while, and all is done: the stream may give back its thread till then. False
  // when it can never be used again.
  virtual bool retire() { return true; }
  // The last command queued; seq 0 when there was none.
  virtual uint64_t tail() const = 0;

  Ticket tail_ticket() { return Ticket{this, tail()}; }
};

inline bool is_done(Ticket ticket) { return !ticket || ticket.stream->done(ticket.seq); }
inline void host_wait(Ticket ticket) {
  if (ticket) ticket.stream->host_wait(ticket.seq);
}

// Runs everything at once on the caller's thread: the CPU's.
class InlineStream final : public Stream {
 public:
  Ticket submit(void (*run)(void*), const void* args, std::size_t bytes, void (*relocate)(void*, const void*)) override;
  Ticket copy(const CopyRequest& request, bool carry) override;
  void wait_for(Ticket ticket) override { lutra::host_wait(ticket); }
  void host_wait(uint64_t) override {}
  bool done(uint64_t) override { return true; }
  uint64_t tail() const override { return 0; }
};

}  // namespace lutra
