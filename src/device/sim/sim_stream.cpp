#include "device/sim/sim_stream.h"

#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "core/blocked_signals.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/forks.h"
#include "core/parallel.h"
#include "core/stop_request.h"
#include "device/sim/progress.h"
#include "device/sim/record_queue.h"
#include "device/sim/uncomputed.h"

// Note [Simulated time]
// Threads wake late, by tens of microseconds in a virtual machine. A device's clock does not take that for work: a
// command starts when its device is free, it was queued and what it waits for has ended, all on the devices' clocks. It
// ends after its set time, or after the time that its kernel really took if that is longer. The thread then sleeps
// until that time has come. So no command ends early, and a thread that woke late makes up for it with the next ones.

namespace lutra {
namespace {

void sleep_until_ns(int64_t when) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(when)));
}

// Rounded up; at most a day, so that sums stay in range.
int64_t nanoseconds(double seconds) { return static_cast<int64_t>(std::ceil(std::min(seconds, 86400.0) * 1e9)); }

// Carried bytes follow the request in memory.
void run_copy(void* args) {
  const CopyRequest& request = *static_cast<const CopyRequest*>(args);
  if (request.bytes > 0) std::memcpy(request.to, request.from, request.bytes);
  Uncomputed& uncomputed = Uncomputed::all();
  if (!uncomputed.any()) return;
  if (const char* who = uncomputed.find(request.from, request.bytes)) uncomputed.add(request.to, request.bytes, who);
  else uncomputed.remove(request.to, request.bytes);
}

struct WaitArgs {
  std::shared_ptr<Progress> of;
  uint64_t seq;
};

void run_wait(void* args) {
  WaitArgs* wait = static_cast<WaitArgs*>(args);
  wait->of->wait(wait->seq);
  wait->~WaitArgs();
}

}  // namespace

struct SimStream::State {
  RecordQueue queue;
  std::shared_ptr<Progress> progress = std::make_shared<Progress>();
  int64_t free_ns = 0;  // when the simulated device finished its last command
  State* next_left_behind = nullptr;

  pthread_t thread{};
  std::atomic<bool> begun{false};
  UncutWork commands;
  std::condition_variable wake;
  std::vector<WaitArgs> waits;  // the latest wait queued for each other stream
  std::mutex mutex;             // for pushing, `waits` and the three flags below
  bool started = false;
  bool sleeping = false;
  bool stopping = false;
  bool timed = false;
  std::atomic<bool> abandoned{false};
  std::mutex times_mutex;
  std::vector<CommandTime> times;                   // of commands that have ended
  std::deque<std::pair<uint64_t, Ticket>> awaited;  // by commands that only wait, while times are kept

  void note_time(int64_t begin_ns);
  bool waits_for(const WaitArgs& wait);
  void remember(const WaitArgs& wait);
  void run_first();
  void start();
  void stop();
  static void* work(void* state);
};

// Whether an earlier wait already orders all later commands after this one.
bool SimStream::State::waits_for(const WaitArgs& wait) {
  std::lock_guard lock(mutex);
  return std::ranges::any_of(waits, [&](const WaitArgs& one) { return one.of == wait.of && one.seq >= wait.seq; });
}

// Called once the wait is queued.
void SimStream::State::remember(const WaitArgs& wait) {
  std::lock_guard lock(mutex);
  auto one = std::ranges::find_if(waits, [&](const WaitArgs& old) { return old.of == wait.of; });
  if (one == waits.end())
    one = std::ranges::find_if(waits, [](const WaitArgs& old) { return old.of->reached(old.seq); });
  if (one == waits.end()) waits.push_back(wait);
  else if (one->of != wait.of || one->seq < wait.seq) *one = wait;
}

void SimStream::State::run_first() {
  Record* record = queue.front();
  const bool keeps_time = record->keeps_time;
  int64_t begin_ns = keeps_time ? now_ns() : 0;
  if (record->run == run_wait) {
    const WaitArgs wait = *static_cast<const WaitArgs*>(record->args);
    record->run(record->args);
    if (timed) {
      begin_ns = std::max(record->queued_ns, free_ns);
      const int64_t ended_ns = wait.of->ended_ns(wait.seq);
      free_ns = std::max(free_ns, ended_ns != 0 ? ended_ns : now_ns());
    }
  } else if (abandoned.load(std::memory_order_relaxed)) {
    // Its effect can no longer be seen.
  } else if (!timed) {
    commands.run([&] { record->run(record->args); });
  } else {
    // See Note [Simulated time].
    begin_ns = std::max(record->queued_ns, free_ns);
    const int64_t woken_ns = now_ns();
    commands.run([&] { record->run(record->args); });
    const int64_t now = now_ns();
    free_ns = begin_ns + std::max(record->cost_ns, now - woken_ns);
    if (free_ns > now) sleep_until_ns(free_ns);
  }
  if (keeps_time) [[unlikely]]
    note_time(begin_ns);
  queue.pop();
  progress->advance(timed ? free_ns : 0);
}

// The first command has just run.
void SimStream::State::note_time(int64_t begin_ns) {
  try {
    std::lock_guard lock(times_mutex);
    times.push_back({progress->done() + 1, begin_ns, timed ? std::max(begin_ns, free_ns) : now_ns(), {}});
  } catch (...) {
    // No memory: the command's time is not known.
  }
}

void* SimStream::State::work(void* argument) {
  State& state = *static_cast<State*>(argument);
  set_max_threads(1);             // several simulated GPUs share the cores
  prctl(PR_SET_TIMERSLACK, 1UL);  // sleeps end on time, not up to 50 us later
  state.begun.store(true);
  state.begun.notify_one();
  for (;;) {
    if (!spin_until([&] { return !state.queue.is_empty(); })) {
      std::unique_lock lock(state.mutex);
      while (state.queue.is_empty() && !state.stopping) {
        state.sleeping = true;
        state.wake.wait(lock);
      }
      state.sleeping = false;
      if (state.queue.is_empty()) return nullptr;
    }
    state.run_first();
  }
}

void SimStream::State::start() {
  int problem = 0;
  {
    BlockedSignals blocked;  // signals belong to the program
    problem = pthread_create(&thread, nullptr, work, this);
  }
  if (problem != 0)
    fail(ErrorCode::ResourceExhausted, "simulated GPU: cannot start its thread: ", std::strerror(problem));
  begun.wait(false);  // a fork while the thread starts would do the same harm as one during a command
  started = true;
}

void SimStream::State::stop() {
  {
    std::lock_guard lock(mutex);
    if (!started) return;
    stopping = true;
  }
  wake.notify_one();
  pthread_join(thread, nullptr);
  begun.store(false);
  started = stopping = false;
}

SimStream::SimStream(const SimOptions& options, std::shared_ptr<Schedule> schedule)
    : options_(options), born_(count_forks()), schedule_(std::move(schedule)), state_(std::make_unique<State>()) {
  state_->timed = is_timed() || options.link_gbps > 0 || options.link_latency_us > 0;
  if (schedule_ != nullptr) schedule_->add(this);
}

SimStream::~SimStream() {
  if (schedule_ != nullptr) {
    if (!is_forked()) schedule_->until(*this, tail());
    schedule_->remove(this);
  }
  if (!is_forked()) {
    state_->stop();
    return;
  }
  // Destroying a condition variable waits for its sleepers, which are in the parent process. So the state is never
  // destroyed.
  static State* left_behind = nullptr;
  state_->next_left_behind = left_behind;
  left_behind = state_.release();
}

void SimStream::abandon() { state_->abandoned.store(true, std::memory_order_relaxed); }

bool SimStream::retire() {
  if (is_forked()) return false;
  if (schedule_ == nullptr) state_->stop();
  return true;
}

bool SimStream::is_forked() const { return count_forks() != born_; }

// Ctrl-C ends the wait: the queue takes one command more, and Lua raises the interrupt as soon as the caller returns.
void SimStream::wait_for_room(uint64_t seq) {
  constexpr int kMilliseconds = 10;
  const Ticket ticket{this, seq};
  if (schedule_ != nullptr || !StopRequest::ends_waits()) return lutra::host_wait(ticket, "full queue");
  const NotedWait noted(ticket, "full queue");
  while (!StopRequest::is_wanted() && !ends_within(ticket, kMilliseconds)) {
  }
}

template <class Fill> Ticket SimStream::enqueue(void (*run)(void* args), std::size_t bytes, const Fill& fill) {
  if (is_forked()) [[unlikely]] {
    fail(ErrorCode::FailedPrecondition,
         "simulated GPUs do not survive a fork: the threads that run their commands stay in the parent process. Fork "
         "before the "
         "first op, or use the CPU in the child");
  }
  State& state = *state_;
  // Without the mutex, which the thread may need to make progress.
  if (state.queue.is_crowded()) [[unlikely]] {
    wait_for_room(tail());
  } else if (uint64_t last = tail(); last >= kMostQueued && !done(last - kMostQueued + 1)) [[unlikely]] {
    // A few at once, so that caller and thread do not wake each other at every command.
    wait_for_room(last - kMostQueued + 16);
  }
  Ticket ticket{this, 0};
  bool wake = false;
  {
    std::lock_guard lock(state.mutex);
    if (!state.started && schedule_ == nullptr) [[unlikely]] {
      state.start();
    }
    Record& record = *state.queue.push(run, bytes);
    fill(record);
    if (state.timed) record.queued_ns = now_ns();
    record.keeps_time = keeps_times();
    state.queue.publish();
    ticket.seq = state.queue.pushed();
    std::swap(wake, state.sleeping);
  }
  if (wake) state.wake.notify_one();
  if (schedule_ != nullptr) schedule_->some();
  return ticket;
}

Ticket SimStream::submit(void (*run)(void* args), const void* args, std::size_t bytes,
                         void (*relocate)(void* copy, const void* original)) {
  return enqueue(run, bytes, [&](Record& record) {
    record.cost_ns = std::exchange(next_cost_ns_, 0);
    if (bytes > 0) std::memcpy(record.args, args, bytes);
    if (relocate != nullptr) relocate(record.args, args);
  });
}

Ticket SimStream::copy(const CopyRequest& request, bool carry) {
  double seconds = options_.link_latency_us * 1e-6;
  if (options_.link_gbps > 0) seconds += static_cast<double>(request.bytes) / (options_.link_gbps * 1e9);
  std::size_t carried = carry ? request.bytes : 0;
  return enqueue(run_copy, sizeof(CopyRequest) + carried, [&](Record& record) {
    record.cost_ns = nanoseconds(seconds);
    CopyRequest* queued = new (record.args) CopyRequest(request);
    if (carried == 0) return;
    queued->from = reinterpret_cast<std::byte*>(queued + 1);
    std::memcpy(queued + 1, request.from, carried);
  });
}

void SimStream::wait_for(Ticket ticket) {
  if (ticket.stream == this || is_forked() || is_done(ticket)) return;
  // Only streams of the same schedule can wait for each other in the queue. For any other stream, block here.
  SimStream* other = dynamic_cast<SimStream*>(ticket.stream);
  if (other == nullptr || other->schedule_ != schedule_) {
    lutra::host_wait(ticket);
    return;
  }
  assert(ticket.seq <= other->tail());
  const WaitArgs wait{other->state_->progress, ticket.seq};
  if (state_->waits_for(wait)) return;
  Ticket queued = enqueue(run_wait, sizeof(WaitArgs), [&](Record& record) { new (record.args) WaitArgs(wait); });
  state_->remember(wait);
  if (!keeps_times()) [[likely]]
    return;
  std::lock_guard lock(state_->times_mutex);
  state_->awaited.emplace_back(queued.seq, ticket);
}

void SimStream::keep_command_times(bool on) {
  if (on || is_forked()) return;
  std::lock_guard lock(state_->times_mutex);
  state_->times.clear();
  state_->awaited.clear();
}

void SimStream::take_command_times(std::vector<CommandTime>& out) {
  if (is_forked()) return;
  std::lock_guard lock(state_->times_mutex);
  std::deque<std::pair<uint64_t, Ticket>>& awaited = state_->awaited;
  for (CommandTime& time : state_->times) {
    while (!awaited.empty() && awaited.front().first < time.seq) awaited.pop_front();
    if (!awaited.empty() && awaited.front().first == time.seq) time.awaited = awaited.front().second;
    out.push_back(time);
  }
  state_->times.clear();
}

void SimStream::host_wait(uint64_t seq) {
  assert(seq <= tail());
  if (reached(seq) || is_forked()) return;
  if (schedule_ != nullptr) {
    schedule_->until(*this, seq);
  } else {
    state_->progress->wait(seq);
  }
}

bool SimStream::done(uint64_t seq) {
  if (reached(seq) || is_forked()) return true;
  // A caller that polls must make progress.
  if (schedule_ != nullptr) schedule_->some();
  return reached(seq);
}

void SimStream::check_arrived(const std::byte* at, std::size_t bytes) {
  Uncomputed& uncomputed = Uncomputed::all();
  if (!uncomputed.any()) return;
  const char* who = uncomputed.find(at, bytes);
  if (who == nullptr) return;
  uncomputed.remove(at, bytes);  // host memory, which may be reused for anything
  fail(ErrorCode::ResourceExhausted, who, ": out of memory while computing on a simulated GPU (malloc failed)");
}

uint64_t SimStream::tail() const { return state_->queue.pushed(); }

void SimStream::set_next_cost(double flops, double bytes) {
  double seconds = 0;
  if (options_.gflops > 0) seconds = flops / (options_.gflops * 1e9);
  if (options_.gbps > 0) seconds = std::max(seconds, bytes / (options_.gbps * 1e9));
  next_cost_ns_ = nanoseconds(seconds);
}

bool SimStream::reached(uint64_t seq) const { return state_->progress->reached(seq); }

bool SimStream::may_run_first() {
  const Record* first = state_->queue.front();
  if (first == nullptr) return false;
  if (first->run != run_wait) return true;
  const WaitArgs* wait = static_cast<const WaitArgs*>(first->args);
  return wait->of->reached(wait->seq);
}

void SimStream::run_first() { state_->run_first(); }

}  // namespace lutra
