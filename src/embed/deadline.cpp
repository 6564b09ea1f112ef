// Deadlines of calls. One thread of the process, started by the first call that has a deadline, interrupts those that
// are late; it sleeps otherwise. A forked child starts one of its own.
#include <pthread.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "core/blocked_signals.h"
#include "embed/host.h"

namespace lutra::embed {
namespace {

using Clock = std::chrono::steady_clock;

class Watcher {
 public:
  void begin(lutra_t& lutra) {
    const auto when =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(lutra.seconds));
    std::lock_guard lock(mutex_);
    calls_[&lutra] = {when, false};
    if (!is_started_) {
      BlockedSignals none;
      std::thread([this] { watch(); }).detach();
      is_started_ = true;
    }
    if (when < wakes_at_) changed_.notify_one();
  }

  bool end(lutra_t& lutra) {
    std::lock_guard lock(mutex_);
    auto found = calls_.find(&lutra);
    if (found == calls_.end()) return false;  // begin found no memory
    const bool is_late = found->second.is_late;
    calls_.erase(found);
    return is_late;
  }

  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }
  void in_child() {
    is_started_ = false;
    wakes_at_ = Clock::time_point::max();
    new (&changed_) std::condition_variable;  // the parent's thread waits for the old one
    mutex_.unlock();
  }

 private:
  struct Call {
    Clock::time_point when;
    bool is_late;
  };

  void watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto now = Clock::now();
      wakes_at_ = now + std::chrono::hours(1);
      for (auto& [lutra, call] : calls_) {
        if (call.is_late) continue;
        if (call.when <= now) {
          call.is_late = true;
          lutra->interrupts->request_from_outside();
        } else {
          wakes_at_ = std::min(wakes_at_, call.when);
        }
      }
      changed_.wait_until(lock, wakes_at_);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<lutra_t*, Call> calls_;
  Clock::time_point wakes_at_ = Clock::time_point::max();
  bool is_started_ = false;
};

// Never destroyed: its thread runs until the process ends.
Watcher& watcher() {
  static Watcher* const one = [] {
    auto* made = new Watcher;
    pthread_atfork([] { watcher().before_fork(); }, [] { watcher().after_fork(); }, [] { watcher().in_child(); });
    return made;
  }();
  return *one;
}

}  // namespace

void begin_deadline(lutra_t& lutra) { watcher().begin(lutra); }
bool end_deadline(lutra_t& lutra) { return watcher().end(lutra); }

}  // namespace lutra::embed

extern "C" int lutra_set_deadline(lutra_t* lutra, double seconds) {
  return lutra::embed::attempt_on(lutra, "lutra_set_deadline", false, [&] {
    lutra::require(std::isfinite(seconds) && seconds >= 0 && seconds <= 1e9, "lutra_set_deadline: seconds is ", seconds,
                   ", expected a number of seconds, or 0 for no limit");
    if (seconds > 0) lutra::embed::watcher();
    lutra->seconds = seconds;
  });
}
