#include "lua/border/watchdog.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "core/blocked_signals.h"
#include "lua/border/interrupts.h"

namespace lutra {
namespace {

using Clock = std::chrono::steady_clock;
// A hook that was set on a coroutine which then ended is set once more.
constexpr std::chrono::milliseconds kUntilAnswered(20);
constexpr double kLongest = 1e9;

Clock::duration span(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

class Watchdog {
 public:
  void begin(Interrupts& interrupts, const Watch& watch) {
    const auto now = Clock::now(), never = Clock::time_point::max();
    Call call{watch, watch.seconds > 0 ? now + span(watch.seconds) : never,
              watch.tick_seconds > 0 ? now + span(std::min(watch.tick_seconds, kLongest)) : never, false};
    std::lock_guard lock(mutex_);
    calls_[&interrupts] = call;
    if (!is_started_) {
      BlockedSignals none;
      std::thread([this] { run(); }).detach();
      is_started_ = true;
    }
    if (std::min(call.ends, call.ticks) < wakes_at_) changed_.notify_one();
  }

  void set_tick(Interrupts& interrupts, double seconds) {
    std::lock_guard lock(mutex_);
    auto found = calls_.find(&interrupts);
    if (found == calls_.end()) return;
    found->second.ticks = Clock::now() + span(std::min(seconds, kLongest));
    if (found->second.ticks < wakes_at_) changed_.notify_one();
  }

  bool end(Interrupts& interrupts) {
    std::lock_guard lock(mutex_);
    auto found = calls_.find(&interrupts);
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
    Watch watch;
    Clock::time_point ends, ticks;
    bool is_late;
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto now = Clock::now();
      wakes_at_ = now + std::chrono::hours(1);
      for (auto& [interrupts, call] : calls_) {
        if (!call.is_late && call.ends <= now) {
          call.is_late = true;
          interrupts->request_from_outside();
        }
        if (call.ticks <= now) {
          interrupts->hook_from_outside(call.watch.tick);
          call.ticks = now + kUntilAnswered;
        }
        if (!call.is_late) wakes_at_ = std::min(wakes_at_, call.ends);
        wakes_at_ = std::min(wakes_at_, call.ticks);
      }
      changed_.wait_until(lock, wakes_at_);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<Interrupts*, Call> calls_;
  Clock::time_point wakes_at_ = Clock::time_point::max();
  bool is_started_ = false;
};

// Never destroyed: its thread runs until the process ends.
Watchdog& watchdog() {
  static Watchdog* const one = [] {
    auto* made = new Watchdog;
    pthread_atfork([] { watchdog().before_fork(); }, [] { watchdog().after_fork(); }, [] { watchdog().in_child(); });
    return made;
  }();
  return *one;
}

}  // namespace

void watch(Interrupts& interrupts, const Watch& watch) { watchdog().begin(interrupts, watch); }
void set_tick(Interrupts& interrupts, double seconds) noexcept { watchdog().set_tick(interrupts, seconds); }
bool unwatch(Interrupts& interrupts) noexcept { return watchdog().end(interrupts); }

}  // namespace lutra
