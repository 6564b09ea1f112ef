#include "device/sim/schedule.h"

#include <cassert>
#include <charconv>
#include <cstdlib>

#include "core/error.h"
#include "device/device_spec.h"
#include "device/sim/sim_stream.h"

namespace lutra {

std::shared_ptr<Schedule> Schedule::parse(std::string_view value) {
  if (value.empty()) return nullptr;
  constexpr std::string_view kRandom = "random:";
  uint64_t seed = 0;
  bool ok = value.starts_with(kRandom);
  if (ok) {
    const char* end = value.data() + value.size();
    auto [stopped, problem] = std::from_chars(value.data() + kRandom.size(), end, seed);
    ok = problem == std::errc() && stopped == end;
  }
  require(ok, "LUTRA_SIM_SCHEDULE is ", quoted_name(value),
          ", expected random:SEED with a whole number, as in random:42");
  return std::make_shared<Schedule>(seed);
}

std::shared_ptr<Schedule> Schedule::from_environment() {
  const char* value = std::getenv("LUTRA_SIM_SCHEDULE");
  return parse(value != nullptr ? value : "");
}

void Schedule::add(SimStream* stream) {
  std::lock_guard lock(mutex_);
  streams_.push_back(stream);
  ready_.reserve(streams_.size());  // running must not fail: destructors run commands too
}

void Schedule::remove(SimStream* stream) {
  std::lock_guard lock(mutex_);
  std::erase(streams_, stream);
}

void Schedule::some() {
  std::lock_guard lock(mutex_);
  // Usually few, so that queues grow and one can fall far behind another.
  if (random_() % 2 == 0) return;
  for (uint64_t left = random_() % 4; left > 0 && run_one(); --left) {
  }
}

void Schedule::until(const SimStream& stream, uint64_t seq) {
  std::lock_guard lock(mutex_);
  while (!stream.reached(seq)) {
    // A wait points to a command queued earlier, so the oldest command can always run.
    [[maybe_unused]] bool ran = run_one();
    assert(ran);
  }
}

bool Schedule::run_one() {
  ready_.clear();
  for (SimStream* stream : streams_) {
    if (stream->may_run_first()) ready_.push_back(stream);
  }
  if (ready_.empty()) return false;
  ready_[random_() % ready_.size()]->run_first();
  return true;
}

}  // namespace lutra
