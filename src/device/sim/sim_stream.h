// A simulated GPU's queue. Its own thread, started by the first command, runs the commands in order; or a Schedule runs
// them on the caller's thread. Commands take at least the time that the simulated speed gives. While a command runs,
// the thread holds no lock except the one that delays forks until the command has ended. Destroying the stream finishes
// all queued commands. Commands must not throw. A wait that was not yet over when it was queued counts as a command:
// tail() covers it. In a forked child nothing runs: submit and copy fail (FailedPrecondition), and waits end at once.
#pragma once

#include <cstdint>
#include <memory>

#include "device/sim/schedule.h"
#include "device/sim/sim_options.h"
#include "device/stream_times.h"

namespace lutra {

class SimStream final : public TimedStream {
 public:
  // The most commands that may be queued, as on a CUDA stream; then submit blocks. Otherwise a script could run hours
  // ahead.
  static constexpr uint64_t kMostQueued = 1024;

  explicit SimStream(const SimOptions& options, std::shared_ptr<Schedule> schedule = nullptr);
  ~SimStream() override;
  SimStream(const SimStream&) = delete;

  // The copy of the arguments is aligned to 16 bytes.
  Ticket submit(void (*run)(void* args), const void* args, std::size_t bytes,
                void (*relocate)(void* copy, const void* original)) override;
  Ticket copy(const CopyRequest& request, bool carry) override;
  void wait_for(Ticket ticket) override;
  void host_wait(uint64_t seq) override;
  bool done(uint64_t seq) override;
  void check_arrived(const std::byte* at, std::size_t bytes) override;
  void abandon() override;
  bool retire() override;
  uint64_t tail() const override;

 protected:
  void keep_command_times(bool on) override;
  void take_command_times(std::vector<CommandTime>& out) override;

 public:
  // Whether set_next_cost has any effect.
  bool is_timed() const { return options_.gflops > 0 || options_.gbps > 0; }
  // The next command submitted does this many operations on this many bytes. One caller at a time.
  void set_next_cost(double flops, double bytes);

 private:
  friend class Schedule;
  struct State;

  // For the Schedule: these inspect and run the oldest command.
  bool may_run_first();
  void run_first();
  bool reached(uint64_t seq) const;

  bool is_forked() const;
  void wait_for_room(uint64_t seq);
  // Queues run with `bytes` of arguments; fill(record) writes them.
  template <class Fill> Ticket enqueue(void (*run)(void* args), std::size_t bytes, const Fill& fill);

  const SimOptions options_;
  const uint64_t born_;  // the number of forks at creation
  const std::shared_ptr<Schedule> schedule_;
  int64_t next_cost_ns_ = 0;
  std::unique_ptr<State> state_;  // the part that the thread uses
};

}  // namespace lutra
