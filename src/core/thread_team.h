// The threads that help one thread, the caller, with its loops. A loop is cut into chunks. Each member starts with its
// own share of the chunks, so that it touches the same memory in each loop, and then takes chunks that nobody has
// begun. So the caller never waits for a helper that has not begun, only for chunks in progress.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "core/stop_request.h"

namespace lutra {

// The chunks of a share that are unclaimed: [first, end). Packed into one word, so one exchange claims some.
class ChunkShare {
 public:
  static constexpr int64_t kMostChunks = 0xffff;

  struct Chunks {
    int64_t first, end;
    int64_t count() const { return end - first; }
  };

  void give(Chunks chunks);
  // Claim half of what is left, at least one chunk: the owner of the share takes the first ones, others the last ones.
  Chunks claim_first();
  Chunks claim_last();

  // For helpers. Empty: nothing to claim. Closed: the helper must end.
  bool is_empty() const { return word_.load(std::memory_order_relaxed) == kEmpty; }
  bool is_closed() const { return word_.load(std::memory_order_relaxed) == kClosed; }
  void close();
  // Returns when it was first woken: the system may let it run much later.
  int64_t sleep_while_empty();
  bool is_asleep() const { return asleep_.load(); }
  void wake();

 private:
  static constexpr uint32_t kEmpty = 0, kClosed = ~uint32_t{0};

  // Claims the chunks that rest(all, half of them) does not return.
  template <class Rest> Chunks claim(const Rest& rest);

  std::atomic<uint32_t> word_{kEmpty};
  std::atomic<bool> asleep_{false};
  std::atomic<int64_t> woken_at_{0};
};

class ThreadTeam {
 public:
  // Calls `range` with `body` for elements [begin, end) of [0, count), whole chunks at a time.
  struct Loop {
    void (*range)(const void* body, int64_t begin, int64_t end);
    const void* body;
    int64_t count, chunk;
    StopRequests* stops = StopRequest::watched();  // the caller's: they also end what helpers compute for it

    int64_t chunks() const { return (count + chunk - 1) / chunk; }
  };
  // How many chunks the caller ran itself, and how long it had a core for them.
  struct Own {
    int64_t chunks, ns;
  };

  // Starts `wanted` helpers. If the system refuses some, half of those started end again, to leave memory for other
  // uses.
  explicit ThreadTeam(int wanted);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;

  int helpers() const { return helpers_; }

  // How many of the first `wanted` helpers should share a loop of `grains` grains (some 10 us each): all, or those
  // before the first that sleeps. Waking takes some microseconds, worthwhile for a long loop or many short ones. On
  // a busy machine, no helper shares a short loop, and `run` wakes helpers for others late.
  int ready(int wanted, int64_t grains);

  // Runs a loop of at most kMostChunks chunks on the caller and helpers 1 to `helpers`, and returns when all chunks are
  // done. Rethrows the first exception of a chunk.
  Own run(const Loop& loop, int helpers);

 private:
  // Shares are in different cache lines.
  struct alignas(128) Member {
    ChunkShare share;
    pthread_t thread{};
    ThreadTeam* team = nullptr;
  };

  static void* help(void* member);
  bool leave_callers_core();
  // From `wake_at` on, wakes sleeping helpers for the chunks that are left.
  int64_t take_part(int me, int64_t wake_at);
  void wake(int helpers);
  void work_on(ChunkShare::Chunks chunks) noexcept;
  void await_chunks(ChunkShare& share);
  void await_helpers(int64_t expected_ns);
  // Called when the machine has more work than cores: for some time, helpers sleep as soon as there is nothing to do.
  void save_cores(int64_t now);
  bool is_saving(int64_t now) const;
  bool has_free_core(int64_t now);
  void end(int first);

  std::unique_ptr<Member[]> members_;  // the caller's first
  int helpers_ = 0;
  int64_t unhelped_grains_ = 0, free_core_until_ = 0;
  std::atomic<int> callers_core_{-1};
  std::atomic<int64_t> saving_until_{0}, saving_ns_{0};

  // The current loop. Only a thread that has claimed a chunk may read loop_.
  Loop loop_{};
  std::atomic<int> members_in_loop_{0};
  alignas(128) std::atomic<int> chunks_left_{0};
  std::atomic_flag has_thrown_;
  std::exception_ptr thrown_;
};

// Whether this thread is running part of a loop that may be shared. Loops nested in it stay on the thread.
bool is_in_shared_loop();

// Makes is_in_shared_loop() true while one lives. Also used if nobody shares the loop this time, because how nested
// loops are cut must not depend on that.
class InSharedLoop {
 public:
  InSharedLoop();
  ~InSharedLoop();
  InSharedLoop(const InSharedLoop&) = delete;
};

}  // namespace lutra
