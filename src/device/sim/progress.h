// How far a stream has come, and how others wait for it. It outlives the stream if another stream's queue still refers
// to it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "core/clock.h"
#include "device/sim/yields.h"

namespace lutra {

// Before a thread sleeps, it polls for about two microseconds, and then for up to a millisecond while no other thread
// wants the core. Waking takes tens of microseconds in a virtual machine, because the core that would wake the thread
// sleeps too.
template <class Done> bool spin_until(const Done& done) {
  for (int i = 0; i < 50; ++i) {
    if (done()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  static thread_local Yields yields;
  const int64_t start = now_ns(), end = start + 1'000'000;
  for (int64_t now = start; now < end && yields.are_cheap(now);) {
    if (done()) return true;
    std::this_thread::yield();
    now = yields.took(now, now_ns());
  }
  return done();
}

class Progress {
 public:
  uint64_t done() const { return done_.load(std::memory_order_acquire); }
  bool reached(uint64_t seq) const { return done() >= seq; }
  // Called only by the thread that runs the stream's commands. `ended_ns`: when the command ended on the simulated
  // device, which is at or before now; 0: not known.
  void advance(int64_t ended_ns) {
    uint64_t seq = done_.load(std::memory_order_relaxed) + 1;
    if (ended_ns != 0) ended_ns_[seq % kKept].store(ended_ns, std::memory_order_relaxed);
    done_.store(seq);
    if (seq >= wanted_.load()) wake();
  }
  void wait(uint64_t seq);
  // When the command ended, or one of a few that followed it; 0: not known. The command has ended.
  int64_t ended_ns(uint64_t seq) const { return ended_ns_[seq % kKept].load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kKept = 64;

  void wake();

  std::atomic<uint64_t> done_{0};
  std::array<std::atomic<int64_t>, kKept> ended_ns_{};
  // The least seq that a sleeper waits for. A waiter writes wanted_ and then reads done_; advance() writes done_ and
  // then reads wanted_. All four are sequentially consistent, so at least one sees the other's write.
  std::atomic<uint64_t> wanted_{UINT64_MAX};
  std::mutex mutex_;
  std::condition_variable changed_;
};

inline void Progress::wait(uint64_t seq) {
  if (spin_until([&] { return reached(seq); })) return;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (wanted_.load() > seq) wanted_.store(seq);
    if (done_.load() >= seq) return;
    changed_.wait(lock);
  }
}

inline void Progress::wake() {
  {
    std::lock_guard lock(mutex_);
    wanted_.store(UINT64_MAX);  // sleepers whose seq is not yet done set it again
  }
  // Without the mutex: the waking thread may lose its core to a woken one, and all would sleep again until it unlocks.
  changed_.notify_all();
}

}  // namespace lutra
