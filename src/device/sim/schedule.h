// LUTRA_SIM_SCHEDULE=random:SEED: the streams of one Runtime without threads. Commands run on the caller's thread, in
// an order drawn at random from all that tickets allow, and the same one for the same seed and program: what a missing
// wait does, it does again. Null in place of a Schedule means real threads.
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

  // "random:42"; null for "". Fails (InvalidArgument), naming the variable, on anything else.
  static std::shared_ptr<Schedule> parse(std::string_view value);
  // What LUTRA_SIM_SCHEDULE says now; null when it is not set.
  static std::shared_ptr<Schedule> from_environment();

 private:
  friend class SimStream;

  // Streams take their place in the order they are made.
  void add(SimStream* stream);
  void remove(SimStream* stream);
  // Lets some commands run, or none.
  void some();
  // Runs commands of any stream until this one's `seq` has run.
  void until(const SimStream& stream, uint64_t seq);

  bool run_one();

  std::mutex mutex_;  // held while a command runs: there is one "device" here
  std::mt19937_64 random_;
  std::vector<SimStream*> streams_;
  std::vector<SimStream*> ready_;  // those whose first command may run; kept for its memory
};

}  // namespace lutra
