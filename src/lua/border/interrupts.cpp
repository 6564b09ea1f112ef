// Note [Interrupts from other threads]
// A loop of plain Lua looks at nothing but its call's trap flag, which lua_sethook sets in all calls of a coroutine:
// Lua allows that from a signal handler. Lutra installs no signal handlers in hosts, so another thread calls
// lua_sethook while Lua runs. What it reads must not be freed meanwhile: the interpreter's allocator waits before it
// frees a block (FreeHold). membarrier() makes sure that the thread of Lua has seen the hold, and that this thread sees
// its calls as they are. A call that begins at the same moment may miss the new hook, and lua_sethook the call: each
// reads before it sees what the other wrote. So the hook is set again after a second barrier. All other bookkeeping is
// left to Lua's thread: the hook itself, or the next switch between coroutines.
#include "lua/border/interrupts.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <type_traits>
#include <utility>

#include <thread>

#include "core/clock.h"
#include "core/stop_request.h"
#include "lua/border/allocator.h"
#include "lua/border/limits.h"
#include "lua/border/state.h"
#include "lua/border/traceback.h"

namespace lutra {
namespace {

constexpr RegistryKey kInterrupts{};

// How long code that caught "interrupted!" may go on before it is raised again: enough for a fit to put its weights in
// order and for its result to be assigned.
constexpr int64_t kFirstGraceUs = 20000;
constexpr int64_t kLeastGraceUs = 1000;
// Instructions between two looks at the clock meanwhile.
constexpr int kInstructionsBetween = 10;

// All running threads of the process pass a full memory barrier.
void all_threads_synchronize() {
  static const bool is_there = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  if (is_there) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// Sets the hook of a coroutine that another thread runs.
void set_hook_from_outside(lua_State* L, lua_Hook hook, int mask) {
  lua_sethook(L, hook, mask, 1);
  all_threads_synchronize();
  if (lua_gethook(L) == hook) lua_sethook(L, hook, mask, 1);
}

}  // namespace

void Interrupts::push_new(lua_State* L) {
  static_assert(std::is_trivially_destructible_v<Interrupts>);
  new (lua_newuserdatauv(L, sizeof(Interrupts), 0)) Interrupts;
  lua_pushvalue(L, -1);
  State::set(L, kInterrupts);
}

Interrupts* Interrupts::find(lua_State* L) {
  State::push(L, kInterrupts);
  Interrupts* found = static_cast<Interrupts*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return found;
}

void Interrupts::begin(lua_State* L, bool insists) {
  running_ = L;
  is_wanted_ = false;
  insists_ = insists;
  has_raised_ = false;
  is_from_outside_ = false;
  grace_us_ = kFirstGraceUs;
  next_us_ = 0;
  stopped_ = nullptr;
  // Where a host is always ready, nobody knows which thread runs Lua.
  StopRequest::watch(insists || !is_always_ready_, insists);
  stop_flag_ = &StopRequest::flag();
  is_running_.store(kRunning, std::memory_order_release);
}

void Interrupts::end() {
  for (int running = kRunning; !is_running_.compare_exchange_weak(running, kIdle) && running != kIdle;) {
    running = kRunning;
    std::this_thread::yield();  // another thread is setting the hook
  }
  if (is_asked_.load(std::memory_order_relaxed)) [[unlikely]]
    forget_outside();
  is_wanted_ = false;
  StopRequest::watch(false);
  unhook();
}

void Interrupts::request() {
  next_us_ = 0;
  StopRequest::ask();
  if (!is_wanted_) {
    is_wanted_ = true;
    hook();
  } else if (hooked_ != nullptr && lua_gethook(hooked_) == stop) {
    // Raised before whatever comes next, also the result of an operation that stops early.
    has_raised_ = false;
    set_hook(hooked_);
  }
}

bool Interrupts::claim_running() {
  int running = kRunning;
  while (!is_running_.compare_exchange_weak(running, kStopping)) {
    if (running == kIdle) return false;
    running = kRunning;
    std::this_thread::yield();
  }
  return true;
}

bool Interrupts::request_from_outside() {
  if (!claim_running()) return false;
  if (hold_ != nullptr) hold_->hold(true);
  is_asked_.store(true, std::memory_order_relaxed);
  all_threads_synchronize();
  if (lua_State* L = running_; lua_gethook(L) != stop) {
    poked_before_ = lua_gethook(L);
    poked_mask_ = lua_gethookmask(L);
    poked_count_ = lua_gethookcount(L);
    poked_ = L;
  }
  set_hook_from_outside(running_, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT);
  if (hold_ != nullptr) hold_->hold(false);
  stop_flag_->store(true, std::memory_order_relaxed);
  is_running_.store(kRunning, std::memory_order_release);
  return true;
}

void Interrupts::hook_from_outside(lua_Hook hook) {
  if (!claim_running()) return;
  if (hold_ != nullptr) hold_->hold(true);
  all_threads_synchronize();
  if (lua_gethook(running_) == nullptr) set_hook_from_outside(running_, hook, LUA_MASKCOUNT);
  if (hold_ != nullptr) hold_->hold(false);
  is_running_.store(kRunning, std::memory_order_release);
}

bool Interrupts::rehook(lua_State* L) {
  if (L != hooked_) return false;
  set_hook(L);
  return true;
}

void Interrupts::tell_limits(lua_State* thread) { limits_->switched(thread); }

// On Lua's thread. What the other thread has done becomes a request.
void Interrupts::answer_outside() {
  // It may still be at work: its hook can already be seen.
  while (is_running_.load(std::memory_order_acquire) == kStopping) std::this_thread::yield();
  is_asked_.store(false, std::memory_order_relaxed);
  next_us_ = 0;
  is_from_outside_ = true;
  lua_State* poked = std::exchange(poked_, nullptr);  // null: our hook was there already
  if (is_wanted_) {
    // Raised before whatever comes next.
    has_raised_ = false;
    if (poked == hooked_ && poked != nullptr) {
      before_ = poked_before_;
      before_mask_ = poked_mask_;
      before_count_ = poked_count_;
    } else if (poked != nullptr) {
      lua_sethook(poked, poked_before_, poked_mask_, poked_count_);
    }
    if (hooked_ != nullptr && lua_gethook(hooked_) == stop) set_hook(hooked_);
    return;
  }
  is_wanted_ = true;
  before_ = poked != nullptr ? poked_before_ : nullptr;
  before_mask_ = poked != nullptr ? poked_mask_ : 0;
  before_count_ = poked != nullptr ? poked_count_ : 0;
  hooked_ = poked != nullptr ? poked : running_;
}

// The request came too late.
void Interrupts::forget_outside() {
  is_asked_.store(false, std::memory_order_relaxed);
  lua_State* poked = std::exchange(poked_, nullptr);
  if (poked != nullptr && poked != hooked_ && lua_gethook(poked) == stop) {
    lua_sethook(poked, poked_before_, poked_mask_, poked_count_);
  }
}

bool Interrupts::take() {
  if (is_asked_.load(std::memory_order_relaxed)) [[unlikely]]
    answer_outside();
  if (!is_wanted_) return false;
  if (!insists_) {
    lua_State* L = running_;
    end();
    if (is_always_ready_) begin(L);
  } else {
    const int64_t now = now_ns() / 1000;
    if (now < next_us_) return false;
    next_us_ = now + grace_us_;
    grace_us_ = grace_us_ > kLeastGraceUs ? grace_us_ / 2 : 0;
    has_raised_ = true;
    StopRequest::answer(is_from_outside_ ? next_us_ : 0);
    if (hooked_ != nullptr && lua_gethook(hooked_) == stop) set_hook(hooked_);
  }
  ++taken_;
  return true;
}

void Interrupts::move_hook() {
  unhook();
  hook();
}

// Setting a hook is all that Lua allows from a signal handler.
void Interrupts::hook() {
  lua_State* L = running_;
  before_ = lua_gethook(L);
  before_mask_ = lua_gethookmask(L);
  before_count_ = lua_gethookcount(L);
  // A coroutine that was created while its creator had our hook inherits it.
  if (before_ == stop) before_ = nullptr, before_mask_ = before_count_ = 0;
  hooked_ = L;
  set_hook(L);
}

// The first time it stops at whatever comes next. Later only between instructions of Lua, so that scopes of C++, which
// errors close, are closed. The hook that was there before gets its events.
void Interrupts::set_hook(lua_State* L) {
  if (has_raised_)
    lua_sethook(L, stop, LUA_MASKCOUNT | before_mask_, grace_us_ > 0 && !is_from_outside_ ? kInstructionsBetween : 1);
  else lua_sethook(L, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

void Interrupts::unhook() {
  lua_State* L = hooked_;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (L == nullptr) return;
  hooked_ = nullptr;
  if (lua_gethook(L) == stop) lua_sethook(L, before_, before_mask_, before_count_);
}

// interrupts(): the number of requests that have stopped something.
int Interrupts::push_taken(lua_State* L) {
  lua_pushinteger(L, find(L)->taken_);
  return 1;
}

void Interrupts::stop(lua_State* L, lua_Debug* event) {
  Interrupts& self = *find(L);
  if (self.is_asked_.load(std::memory_order_relaxed)) self.answer_outside();
  // A coroutine created while the hook was set inherits it.
  if (L != self.hooked_) lua_sethook(L, nullptr, 0, 0);
  const bool is_for_other = L == self.hooked_ && self.has_raised_ && event->event != LUA_HOOKCOUNT;
  if (is_for_other) {
    if (self.before_ != nullptr) self.before_(L, event);
    return;
  }
  if (!self.take()) return;
  if (self.limits_ != nullptr) self.limits_->note_position(L);
  self.stopped_ = L;
  raise_in_script(L, "interrupted!");
}

}  // namespace lutra
