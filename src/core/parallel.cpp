// Note [Teams]
// Each thread that runs loops has its own helpers (thread_team.h), from its first loop until it ends. A forked child
// does not have its parent's helpers and starts new ones. The main thread's helpers end with the process.
#include "core/parallel.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "core/blocked_signals.h"
#include "core/clock.h"
#include "core/forks.h"
#include "core/late_helpers.h"
#include "core/stop_request.h"
#include "core/thread_owned.h"
#include "core/thread_team.h"
#include "core/usable_cores.h"

namespace lutra {

constinit thread_local int detail::wanted_threads = 0;

namespace {

std::atomic<int> g_sharing{0};

// Ranges of at least this length begin at multiples of 64, so that no two threads write to one cache line.
constexpr int64_t kLongRange = 4096;
// Chunks for each member of a team. Many chunks make all members finish at about the same time, although one may start
// late and a chunk is not handed over once it has begun. No chunk is smaller than a grain: claims, and memory in
// another core's cache, would cost more than that gains.
constexpr int64_t kChunksEach = 32;
// From this many grains, some 20 ms of work on one thread, a loop is shared even if helpers were late before.
constexpr int64_t kLongLoop = 2048;
// Some 3 ms on one thread.
constexpr int64_t kGrainsBetweenStops = 256;

int64_t page_faults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt + used.ru_majflt;
}

constinit thread_local bool t_shares = false;

// A thread that runs loops with no number of threads set. It counts as long as it lives.
struct Sharer {
  Sharer() {
    g_sharing.fetch_add(1, std::memory_order_relaxed);
    t_shares = true;
  }
  ~Sharer() { g_sharing.fetch_sub(1, std::memory_order_relaxed); }
};

int share_of_process() {
  static const int all = process_threads().threads;
  // A forked child starts with one thread.
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { g_sharing.store(t_shares ? 1 : 0); });
  static ThreadOwned<Sharer> here;
  here.get();
  return std::max(1, all / std::max(1, g_sharing.load(std::memory_order_relaxed)));
}

// See Note [Teams]
class OwnTeam {
 public:
  ~OwnTeam() {
    if (is_forked()) abandon();
  }

  // The team, with up to `helpers` helpers, as many as the system grants. Null if there is no memory.
  ThreadTeam* with(int helpers) {
    if (is_forked()) abandon();
    if (helpers > asked_) {
      asked_ = helpers;
      team_.reset();
      try {
        team_ = std::make_unique<ThreadTeam>(helpers);
      } catch (const std::bad_alloc&) {
        asked_ = 0;  // loops run on one thread until there is memory
      }
    }
    return team_.get();
  }

  LateHelpers late;

 private:
  bool is_forked() const { return forks_ != count_forks(); }
  void abandon() {
    (void)team_.release();
    asked_ = 0;
    forks_ = count_forks();
  }

  std::unique_ptr<ThreadTeam> team_;
  int asked_ = 0;
  uint64_t forks_ = count_forks();
};

// Null if there is no memory.
OwnTeam* own_team() {
  static ThreadOwned<OwnTeam> owned;
  return owned.get();
}

// The kernel's count of the process' threads. A joined thread counts until the kernel has removed it.
int64_t counted_threads() {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 ? static_cast<int64_t>(tasks.st_nlink) : 0;
}

}  // namespace

int obtainable_threads(int wanted) {
  std::unique_ptr<pthread_t[]> threads(new (std::nothrow) pthread_t[static_cast<std::size_t>(std::max(wanted, 0))]);
  if (threads == nullptr) return 0;
  int64_t before = counted_threads();
  // They wait for the gate, so that all exist at the same time.
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  auto pass = [](void* at) -> void* {
    pthread_mutex_lock(static_cast<pthread_mutex_t*>(at));
    pthread_mutex_unlock(static_cast<pthread_mutex_t*>(at));
    return nullptr;
  };
  pthread_mutex_lock(&gate);
  int made = 0;
  {
    BlockedSignals blocked;  // signals belong to the program
    while (made < wanted && pthread_create(&threads[static_cast<std::size_t>(made)], nullptr, pass, &gate) == 0) ++made;
  }
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < made; ++i) pthread_join(threads[static_cast<std::size_t>(i)], nullptr);
  pthread_mutex_destroy(&gate);
  // At most 20 ms: another thread of the process may start meanwhile.
  for (int i = 0; i < 200 && counted_threads() > before; ++i) usleep(100);
  return made;
}

int max_threads() {
  int wanted = detail::wanted_threads;
  if (wanted == 1 || is_in_shared_loop()) return 1;
  if (wanted <= 0) wanted = share_of_process();
  if (wanted == 1) return 1;
  OwnTeam* own = own_team();
  const ThreadTeam* team = own == nullptr ? nullptr : own->with(wanted - 1);
  return team == nullptr ? 1 : std::min(wanted, team->helpers() + 1);
}

namespace {

// The least length of a range from `length` elements on.
int64_t whole_units(int64_t length, int64_t unit) {
  if (unit == detail::kAnyUnit) unit = length >= kLongRange ? 64 : 1;
  return (length + unit - 1) / unit * unit;
}

// Calls `range` for [begin, end) piece by piece, and asks before each whether to stop.
struct Stoppable {
  void (*range)(const void* body, int64_t begin, int64_t end);
  const void* body;
  int64_t piece;

  static void run(const void* self, int64_t begin, int64_t end) {
    const auto& [range, body, piece] = *static_cast<const Stoppable*>(self);
    for (; begin < end; begin += piece) {
      if (StopRequest::is_wanted()) throw LoopStopped();
      range(body, begin, std::min(end, begin + piece));
    }
  }
};

}  // namespace

void detail::parallel_ranges(int64_t count, int64_t grain, int64_t unit, void (*range)(const void*, int64_t, int64_t),
                             const void* body) {
  const int64_t grains = (count + grain - 1) / grain;
  Stoppable stoppable{range, body, 0};
  if (grains > kGrainsBetweenStops && StopRequest::is_watching()) {
    stoppable.piece = whole_units(kGrainsBetweenStops * grain, unit);
    range = Stoppable::run;
    body = &stoppable;
  }
  const int threads = max_threads();
  int helpers = static_cast<int>(std::min<int64_t>(threads, grains)) - 1;
  if (helpers <= 0) return range(body, 0, count);
  InSharedLoop here;
  OwnTeam& own = *own_team();
  const int64_t start = now_ns();
  if (!own.late.may_share(start, grains >= kLongLoop)) return range(body, 0, count);
  ThreadTeam& team = *own.with(threads - 1);
  helpers = team.ready(helpers, grains);
  if (helpers == 0) return range(body, 0, count);

  int64_t chunks = std::min({grains, kChunksEach * (helpers + 1), ChunkShare::kMostChunks});
  int64_t chunk = (count + chunks - 1) / chunks;
  chunk = whole_units(chunk, unit);
  ThreadTeam::Loop loop{.range = range, .body = body, .count = count, .chunk = chunk};
  ThreadTeam::Own done = team.run(loop, helpers);
  // See Note [Helpers that come late]
  if (done.chunks > 0) own.late.shared(start, now_ns(), done.ns / done.chunks, loop.chunks(), page_faults);
}

}  // namespace lutra
