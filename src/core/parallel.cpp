// Note [Threads the system may refuse]
// libgomp ends the process when a thread of its pool cannot be made. So before a thread runs its first loop on n
// threads, n - 1 are made and ended here; where the system gives fewer, loops use half of those, since memory that is
// asked for until then comes out of the same room. What was given once is taken for granted afterwards.
//
// Note [Teams of one size]
// libgomp keeps the threads of the last team; those that a smaller one does not use are ended, and made anew for the
// next larger one, at some 20 us each. So every loop of a thread has the same team, however few pieces it has.
#include "core/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "core/blocked_signals.h"
#include "core/clock.h"
#include "core/late_helpers.h"

#if defined(LUTRA_PARALLEL_OPENMP)
#include <omp.h>
#endif

namespace lutra {

constinit thread_local int detail::wanted_threads = 0;

namespace {

std::atomic<bool> g_forked{false};
std::atomic<int> g_sharing{0};

// What the calling thread asked the system for at most, and was given, itself included.
thread_local int t_asked = 1;
thread_local int t_given = 1;

// Ranges as long as this begin at multiples of 64, so that no two threads write into one cache line.
constexpr int64_t kLongRange = 4096;

int process_threads() {
  if (const char* said = std::getenv("LUTRA_NUM_THREADS")) {
    // What is no number is refused where an interpreter starts: src/lua/environment.cpp.
    if (int threads = parse_threads(said).value_or(0); threads > 0) return threads;
  }
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return 1;
}

#if defined(LUTRA_PARALLEL_OPENMP)
thread_local LateHelpers t_late_helpers;

// From so many grains on, some milliseconds of work, a loop is shared even when helpers come late.
constexpr int64_t kLongLoop = 256;

int64_t page_faults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt + used.ru_majflt;
}
#endif

// A thread that runs loops without having said on how many threads, for as long as it lives.
struct Sharer {
  Sharer() { g_sharing.fetch_add(1, std::memory_order_relaxed); }
  ~Sharer() { g_sharing.fetch_sub(1, std::memory_order_relaxed); }
};

int share_of_process() {
  static const int all = process_threads();
  static thread_local Sharer here;
  return std::max(1, all / std::max(1, g_sharing.load(std::memory_order_relaxed)));
}

// libgomp's pool does not survive a fork: the child would wait for threads that are not there.
void mind_forks() {
  [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, [] { g_forked.store(true); });
}

bool within_parallel_loop() {
#if defined(LUTRA_PARALLEL_OPENMP)
  return omp_in_parallel() != 0;
#else
  return false;
#endif
}

#if !defined(LUTRA_PARALLEL_OPENMP)
// Loops inside a loop stay on its thread.
class OneThread {
 public:
  OneThread() : before_(detail::wanted_threads) { set_max_threads(1); }
  ~OneThread() { set_max_threads(before_); }
  OneThread(const OneThread&) = delete;

 private:
  int before_;
};
#endif

// What ranges throw, which must not leave the thread that runs them.
class Thrown {
 public:
  template <class Range> void by(const Range& range) noexcept {
    try {
      range();
    } catch (...) {
      if (!is_taken_.test_and_set()) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  std::atomic_flag is_taken_;
  std::exception_ptr first_;
};

// The process' threads as the kernel counts them: one that was joined counts until it is wholly gone.
int64_t counted_threads() {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 ? static_cast<int64_t>(tasks.st_nlink) : 0;
}

}  // namespace

int obtainable_threads(int wanted) {
  std::unique_ptr<pthread_t[]> threads(new (std::nothrow) pthread_t[static_cast<std::size_t>(std::max(wanted, 0))]);
  if (threads == nullptr) return 0;
  int64_t before = counted_threads();
  // They wait for the gate, so that all are there at once.
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  auto pass = [](void* at) -> void* {
    pthread_mutex_lock(static_cast<pthread_mutex_t*>(at));
    pthread_mutex_unlock(static_cast<pthread_mutex_t*>(at));
    return nullptr;
  };
  pthread_mutex_lock(&gate);
  int made = 0;
  {
    BlockedSignals blocked;  // they are the program's business
    while (made < wanted && pthread_create(&threads[static_cast<std::size_t>(made)], nullptr, pass, &gate) == 0) ++made;
  }
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < made; ++i) pthread_join(threads[static_cast<std::size_t>(i)], nullptr);
  pthread_mutex_destroy(&gate);
  // 20 ms at most: another thread of the process may start meanwhile.
  for (int i = 0; i < 200 && counted_threads() > before; ++i) usleep(100);
  return made;
}

// The calling thread's team. oneDNN's products run on it, which signals must not meet: see kernels/cpu/onednn_gemm.cpp.
static void make_team([[maybe_unused]] int threads) {
#if defined(LUTRA_PARALLEL_OPENMP)
  BlockedSignals blocked;
#pragma omp parallel num_threads(threads)
  asm volatile("");  // without anything the compiler leaves the team out
#endif
}

std::optional<int> parse_threads(std::string_view text) {
  int threads = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), threads);
  bool ok = problem == std::errc() && end == text.data() + text.size() && threads >= 0 && threads <= kMostThreads;
  return ok ? std::optional(threads) : std::nullopt;
}

int max_threads() {
  mind_forks();
  if (g_forked.load(std::memory_order_relaxed)) return 1;
  int wanted = detail::wanted_threads;
  if (wanted == 1 || within_parallel_loop()) return 1;
  if (wanted <= 0) wanted = share_of_process();
  if (wanted > t_asked) {
    t_asked = wanted;
    // See Note [Threads the system may refuse]
    int more = obtainable_threads(wanted - 1);
    t_given = std::max(t_given, 1 + (more == wanted - 1 ? more : more / 2));
    make_team(t_given);
  }
  return std::min(wanted, t_given);
}

void detail::parallel_ranges(int64_t count, int64_t grain, int64_t unit, void (*range)(const void*, int64_t, int64_t),
                             const void* body) {
  int threads = max_threads();
  int64_t pieces = std::min<int64_t>(threads, (count + grain - 1) / grain);
  if (pieces <= 1) {
    range(body, 0, count);
    return;
  }
  int64_t step = (count + pieces - 1) / pieces;
  if (unit == kAnyUnit) unit = step >= kLongRange ? 64 : 1;
  step = (step + unit - 1) / unit * unit;
#if defined(LUTRA_PARALLEL_OPENMP)
  int64_t start = now_ns(), own = 0;
  if (!t_late_helpers.may_share(start, count / grain >= kLongLoop)) {
    range(body, 0, count);
    return;
  }
  Thrown thrown;
#pragma omp parallel num_threads(threads)  // See Note [Teams of one size]
  for (int64_t piece = omp_get_thread_num(); piece < pieces; piece += omp_get_num_threads()) {
    int64_t begin = piece * step;
    if (begin < count) thrown.by([=] { range(body, begin, std::min(count, begin + step)); });
    if (piece == 0) own = now_ns() - start;  // the caller's
  }
  t_late_helpers.shared(start, now_ns(), own, pieces, page_faults);  // See Note [Helpers that come late]
  thrown.rethrow();
#elif defined(LUTRA_PARALLEL_THREADS)
  std::vector<std::thread> helpers;
  OneThread within;
  Thrown thrown;
  helpers.reserve(static_cast<std::size_t>(pieces));
  int64_t begin = step;
  try {
    for (; begin < count; begin += step) {
      helpers.emplace_back([=, &thrown] {
        set_max_threads(1);
        thrown.by([=] { range(body, begin, std::min(count, begin + step)); });
      });
    }
  } catch (const std::system_error&) {
    thrown.by([=] { range(body, begin, count); });  // no thread for it
  }
  thrown.by([=] { range(body, 0, std::min(count, step)); });
  for (std::thread& helper : helpers) helper.join();
  thrown.rethrow();
#else
  OneThread within;
  range(body, 0, count);
#endif
}

}  // namespace lutra
