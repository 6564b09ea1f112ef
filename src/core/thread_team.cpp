// Note [Spinning and sleeping]
// Waking a thread takes longer than many loops, so an idle helper spins for a millisecond before it sleeps. On a busy
// machine this is harmful: it uses up the helper's time slice before there is work. A helper detects a busy machine in
// two ways: the gap between two of its polls, usually some 100 ns, is long because it lost its core; or it starts to
// run long after it was woken. Then it reads how many threads of the machine want a core. If these are more than there
// are cores, helpers sleep at once for 4 ms, and for twice as long each time it soon happens again; else the core was
// only lost for a moment, as on an idle machine, and nothing changes. While helpers sleep, they are woken only for
// loops that have run for some milliseconds. Before sleeping helpers are woken again, the caller reads how many threads
// want a core: a helper that tried would be late, which costs milliseconds.
//
// Note [The caller's core]
// The system may wake a helper on its caller's core although another is idle, above all in virtual machines. The two
// would then alternate on one core. So a helper that finds itself there moves.
//
// Note [Waiting for chunks that have begun]
// Once all chunks are claimed, a helper should need no longer than one of the caller's own chunks took. If it needs
// longer, it has lost its core within a chunk. Then the caller sleeps: the helper may need this very core.
#include "core/thread_team.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "core/blocked_signals.h"
#include "core/clock.h"
#include "core/usable_cores.h"

namespace lutra {
namespace {

constexpr int64_t kSpinNs = 1'000'000, kSavingSpinNs = 2'000;
constexpr int64_t kLeastSavingNs = 4'000'000, kMostSavingNs = 128'000'000, kSoonNs = 120'000'000;
// A gap this long means that another program ran; the system's own work takes less.
constexpr int64_t kLostCoreNs = 500'000;
constexpr int64_t kLeastWaitNs = 20'000;
// Work that is worth waking helpers for. On a busy machine, helpers are woken after this time.
constexpr int64_t kGrainsPerWake = 8, kLongWorkNs = 2'000'000;
// Reading the number of running threads takes some 10 us.
constexpr int64_t kFreeCoreNs = 4'000'000;
constexpr int64_t kNever = INT64_MAX;

thread_local bool t_in_shared_loop = false;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// Whether more threads want a core than there are cores, for a caller that has one. The number of threads is the whole
// machine's, so it says nothing to a process that may use only some cores: then the answer is yes.
bool too_few_cores() {
  static const bool has_all = usable_cores().threads >= get_nprocs();
  if (!has_all) return true;
  const int running = running_threads();
  return running == 0 || running > get_nprocs();
}

}  // namespace

bool is_in_shared_loop() { return t_in_shared_loop; }
InSharedLoop::InSharedLoop() { t_in_shared_loop = true; }
InSharedLoop::~InSharedLoop() { t_in_shared_loop = false; }

void ChunkShare::give(Chunks chunks) {
  uint32_t word = static_cast<uint32_t>(chunks.first << 16 | chunks.end);
  word_.store(chunks.count() > 0 ? word : kEmpty);
}

template <class Rest> ChunkShare::Chunks ChunkShare::claim(const Rest& rest) {
  uint32_t word = word_.load(std::memory_order_relaxed);
  while (word != kEmpty && word != kClosed) {
    Chunks all{word >> 16, word & 0xffff};
    Chunks left = rest(all, (all.count() + 1) / 2);
    uint32_t next = left.count() > 0 ? static_cast<uint32_t>(left.first << 16 | left.end) : kEmpty;
    if (word_.compare_exchange_weak(word, next, std::memory_order_acquire, std::memory_order_relaxed)) {
      return left.first == all.first ? Chunks{left.end, all.end} : Chunks{all.first, left.first};
    }
  }
  return {0, 0};
}

ChunkShare::Chunks ChunkShare::claim_first() {
  return claim([](Chunks all, int64_t taken) { return Chunks{all.first + taken, all.end}; });
}
ChunkShare::Chunks ChunkShare::claim_last() {
  return claim([](Chunks all, int64_t taken) { return Chunks{all.first, all.end - taken}; });
}

void ChunkShare::close() {
  word_.store(kClosed);
  word_.notify_one();
}

int64_t ChunkShare::sleep_while_empty() {
  woken_at_.store(kNever, std::memory_order_relaxed);
  asleep_.store(true);
  word_.wait(kEmpty);
  asleep_.store(false);
  return woken_at_.load(std::memory_order_relaxed);
}

void ChunkShare::wake() {
  int64_t never = kNever;
  woken_at_.compare_exchange_strong(never, now_ns(), std::memory_order_relaxed);
  word_.notify_one();
}

ThreadTeam::ThreadTeam(int wanted) : members_(new Member[static_cast<std::size_t>(wanted) + 1]) {
  BlockedSignals blocked;  // signals belong to the program
  for (; helpers_ < wanted; ++helpers_) {
    Member& member = members_[static_cast<std::size_t>(helpers_) + 1];
    member.team = this;
    if (pthread_create(&member.thread, nullptr, help, &member) != 0) break;
  }
  if (helpers_ == wanted) return;
  int kept = helpers_ / 2;
  end(kept + 1);
  helpers_ = kept;
}

ThreadTeam::~ThreadTeam() { end(1); }

void ThreadTeam::end(int first) {
  for (int i = first; i <= helpers_; ++i) members_[static_cast<std::size_t>(i)].share.close();
  for (int i = first; i <= helpers_; ++i) pthread_join(members_[static_cast<std::size_t>(i)].thread, nullptr);
}

int ThreadTeam::ready(int wanted, int64_t grains) {
  wanted = std::min(wanted, helpers_);
  const int64_t now = now_ns();
  if (is_saving(now)) return grains < kGrainsPerWake ? 0 : wanted;
  int awake = 0;
  while (awake < wanted && !members_[static_cast<std::size_t>(awake) + 1].share.is_asleep()) ++awake;
  if (awake == wanted) unhelped_grains_ = 0;
  if (awake == wanted) return wanted;
  unhelped_grains_ += grains;
  if (unhelped_grains_ < kGrainsPerWake) return awake;
  unhelped_grains_ = 0;
  if (!has_free_core(now)) save_cores(now);
  return wanted;
}

// Whether a core is free for a helper.
bool ThreadTeam::has_free_core(int64_t now) {
  if (now < free_core_until_) return true;
  static const int cores = get_nprocs();
  if (running_threads() >= cores) return false;
  free_core_until_ = now + kFreeCoreNs;
  return true;
}

ThreadTeam::Own ThreadTeam::run(const Loop& loop, int helpers) {
  const int64_t chunks = loop.chunks(), members = helpers + 1;
  // On a busy machine the caller may lose its core too, even to a helper. Then only its CPU time counts. Reading that
  // is a system call, so it is not always done.
  const int64_t now = now_ns();
  const bool saves = is_saving(now);
  const auto clock = saves ? thread_cpu_ns : now_ns;
  const int64_t start = clock();
  loop_ = loop;
  callers_core_.store(sched_getcpu(), std::memory_order_relaxed);
  has_thrown_.clear(std::memory_order_relaxed);
  chunks_left_.store(static_cast<int>(chunks), std::memory_order_relaxed);
  members_in_loop_.store(static_cast<int>(members), std::memory_order_relaxed);
  for (int64_t i = 0; i < members; ++i) {
    ChunkShare& share = members_[static_cast<std::size_t>(i)].share;
    share.give({i * chunks / members, (i + 1) * chunks / members});
  }
  if (!saves) wake(helpers);
  Own own{take_part(0, saves ? now + kLongWorkNs : kNever), 0};
  own.ns = clock() - start;
  await_helpers(std::max(kLeastWaitNs, own.chunks > 0 ? own.ns / own.chunks : 0));
  if (has_thrown_.test(std::memory_order_relaxed)) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return own;
}

bool ThreadTeam::is_saving(int64_t now) const { return now < saving_until_.load(std::memory_order_relaxed); }

void ThreadTeam::save_cores(int64_t now) {
  int64_t until = saving_until_.load(std::memory_order_relaxed), length = saving_ns_.load(std::memory_order_relaxed);
  if (now < until) return;
  length = now - until < std::max(4 * length, kSoonNs) ? std::min(2 * length, kMostSavingNs) : kLeastSavingNs;
  saving_ns_.store(length, std::memory_order_relaxed);
  saving_until_.store(now + length, std::memory_order_relaxed);
}

void* ThreadTeam::help(void* at) {
  Member& member = *static_cast<Member*>(at);
  ThreadTeam& team = *member.team;
  pthread_setname_np(pthread_self(), "lutra-loop");
  t_in_shared_loop = true;
  while (true) {
    team.await_chunks(member.share);
    if (member.share.is_closed()) return nullptr;
    team.take_part(static_cast<int>(&member - team.members_.get()), kNever);
  }
}

void ThreadTeam::wake(int helpers) {
  for (int i = 1; i <= helpers; ++i) {
    ChunkShare& share = members_[static_cast<std::size_t>(i)].share;
    if (!share.is_empty() && share.is_asleep()) share.wake();
  }
}

// Returns the number of chunks done.
int64_t ThreadTeam::take_part(int me, int64_t wake_at) {
  int64_t done = 0;
  auto work = [&](ChunkShare::Chunks chunks) {
    work_on(chunks);
    done += chunks.count();
    if (wake_at == kNever || now_ns() < wake_at) return;
    wake_at = kNever;
    wake(members_in_loop_.load(std::memory_order_relaxed) - 1);
  };
  for (auto chunks = members_[static_cast<std::size_t>(me)].share.claim_first(); chunks.count() > 0;
       chunks = members_[static_cast<std::size_t>(me)].share.claim_first()) {
    work(chunks);
  }
  // A late helper may find a newer loop with fewer members.
  for (int i = 1, members = members_in_loop_.load(std::memory_order_relaxed); me < members && i < members; ++i) {
    ChunkShare& other = members_[static_cast<std::size_t>((me + i) % members)].share;
    for (auto chunks = other.claim_last(); chunks.count() > 0; chunks = other.claim_last()) {
      work(chunks);
    }
  }
  return done;
}

void ThreadTeam::work_on(ChunkShare::Chunks chunks) noexcept {
  StopRequest::watch_for(loop_.stops);
  try {
    loop_.range(loop_.body, chunks.first * loop_.chunk, std::min(loop_.count, chunks.end * loop_.chunk));
  } catch (...) {
    if (!has_thrown_.test_and_set()) thrown_ = std::current_exception();
  }
  int count = static_cast<int>(chunks.count());
  if (chunks_left_.fetch_sub(count, std::memory_order_acq_rel) == count) chunks_left_.notify_one();
}

// See Note [Spinning and sleeping]
void ThreadTeam::await_chunks(ChunkShare& share) {
  int64_t start = now_ns(), last = start;
  while (share.is_empty()) {
    for (int i = 0; i < 4; ++i) pause();
    int64_t now = now_ns();
    if (now - last > kLostCoreNs) {
      leave_callers_core();
      if (too_few_cores()) save_cores(now);
      now = now_ns();
    }
    last = now;
    if (now - start < (is_saving(now) ? kSavingSpinNs : kSpinNs)) continue;
    int64_t woken_at = share.sleep_while_empty();
    leave_callers_core();
    start = last = now_ns();
    if (start - woken_at > kLostCoreNs && too_few_cores()) save_cores(start);
  }
}

// See Note [The caller's core]
bool ThreadTeam::leave_callers_core() {
  int core = sched_getcpu();
  if (core < 0 || core != callers_core_.load(std::memory_order_relaxed)) return false;
  cpu_set_t all, others;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return false;
  others = all;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return false;
  sched_setaffinity(0, sizeof all, &all);
  return true;
}

// See Note [Waiting for chunks that have begun]
void ThreadTeam::await_helpers(int64_t expected_ns) {
  if (chunks_left_.load(std::memory_order_acquire) == 0) return;
  const int64_t start = now_ns();
  while (int left = chunks_left_.load(std::memory_order_acquire)) {
    pause();
    if (now_ns() - start < expected_ns) continue;
    chunks_left_.wait(left, std::memory_order_acquire);
  }
  int64_t now = now_ns();
  if (now - start > expected_ns + kLostCoreNs && too_few_cores()) save_cores(now);
}

}  // namespace lutra
