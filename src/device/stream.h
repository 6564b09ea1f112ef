// A queue of work on a device, and the tickets that order queues relative to each other. A Ticket exists only once its
// command is queued, so a wait always points to an earlier submission and queues cannot deadlock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lutra {

class Stream;

// The seq-th command of a stream. The empty ticket is always done.
struct Ticket {
  Stream* stream = nullptr;
  uint64_t seq = 0;
  explicit operator bool() const { return stream != nullptr; }
};

// When a command ran, on the clock of now_ns.
struct CommandTime {
  uint64_t seq;
  int64_t start_ns, finish_ns;
};

// Bytes to move. If the host side is small, the command itself carries the bytes.
struct CopyRequest {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;

  // Queues run(args) with a copy of the `bytes` at `args`. `relocate` (may be null) adjusts the copy to its new
  // address. The CPU runs it at once.
  virtual Ticket submit(void (*run)(void* args), const void* args, std::size_t bytes,
                        void (*relocate)(void* copy, const void* original)) = 0;
  // Queues a copy. `from` must not change until the ticket is done; with `carry`, it may change as soon as this
  // returns.
  virtual Ticket copy(const CopyRequest& request, bool carry) = 0;
  // Everything submitted from now on runs after `ticket`, which may be another stream's.
  virtual void wait_for(Ticket ticket) = 0;
  // Blocks the caller until the command is done or has failed.
  virtual void host_wait(uint64_t seq) = 0;
  virtual bool done(uint64_t seq) = 0;
  // optional: fails (Internal) if the device was lost; then none of its results can be trusted.
  virtual void check() const {}
  // optional: fails (ResourceExhausted) if the bytes that a copy brought to host memory were never computed. Called
  // once per copy, after it is done.
  virtual void check_arrived([[maybe_unused]] const std::byte* at, [[maybe_unused]] std::size_t bytes) {}
  // optional: the results of queued commands are no longer needed, so they may be skipped. Waits end as if they had
  // run.
  virtual void abandon() {}
  // optional: all is done, and nothing will be queued for a while: the stream may release its thread until then. False
  // if it can never be used again.
  virtual bool retire() { return true; }
  // optional: from here on the stream notes when each command runs, or no longer. False: it cannot.
  virtual bool keep_times([[maybe_unused]] bool on) { return false; }
  // The times noted since the last call, of commands that are done.
  virtual std::vector<CommandTime> take_times() { return {}; }
  // The last command queued; seq 0 if there was none.
  virtual uint64_t tail() const = 0;

  Ticket tail_ticket() { return Ticket{this, tail()}; }
};

inline bool is_done(Ticket ticket) { return !ticket || ticket.stream->done(ticket.seq); }
inline void host_wait(Ticket ticket) {
  if (ticket) ticket.stream->host_wait(ticket.seq);
}

// Whether the command ends within about so many milliseconds. For waits that something else may end: it polls.
bool ends_within(Ticket ticket, int milliseconds);

// The CPU's stream: runs each command at once on the caller's thread.
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
