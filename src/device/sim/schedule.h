// LUTRA_SIM_SCHEDULE=random:SEED: runs the streams of one Runtime without threads. Commands run on the caller's thread,
// in a random order among those that tickets allow. The same seed and program give the same order, so the effect of a
// missing wait can be reproduced. A null Schedule means real threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string_view>
#include <vector>

namespace lutra {

class SimStream;

class Schedule {
 public:
  explicit Schedule(uint64_t seed) : random_(seed) {}

  // Parses "random:42"; null for "". Fails (InvalidArgument), naming the variable, on anything else.
  static std::shared_ptr<Schedule> parse(std::string_view value);
  // From LUTRA_SIM_SCHEDULE; null if it is not set.
  static std::shared_ptr<Schedule> from_environment();

 private:
  friend class SimStream;

  // Streams are numbered in the order of creation.
  void add(SimStream* stream);
  void remove(SimStream* stream);
  // Runs a few commands, or none.
  void some();
  // Runs commands of any stream until this one's `seq` has run.
  void until(const SimStream& stream, uint64_t seq);

  bool run_one();

  std::mutex mutex_;  // held while a command runs: only one runs at a time
  std::mt19937_64 random_;
  std::vector<SimStream*> streams_;
  std::vector<SimStream*> ready_;  // those whose first command may run; kept for its memory
};

}  // namespace lutra
