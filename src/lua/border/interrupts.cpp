#include "lua/border/interrupts.h"

#include <atomic>
#include <ctime>
#include <new>
#include <type_traits>

#include "core/stop_request.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

constexpr RegistryKey kInterrupts{};

// How long code that caught "interrupted!" may go on before it is raised again: enough for a fit to put its weights in
// order and for its result to be assigned.
constexpr int64_t kFirstGraceUs = 20000;
constexpr int64_t kLeastGraceUs = 1000;
// Instructions between two looks at the clock meanwhile.
constexpr int kInstructions = 10;

int64_t now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
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
  grace_us_ = kFirstGraceUs;
  next_us_ = 0;
  StopRequest::watch(insists);
}

void Interrupts::end() {
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

bool Interrupts::take() {
  if (!is_wanted_) return false;
  if (!insists_) {
    end();
  } else {
    const int64_t now = now_us();
    if (now < next_us_) return false;
    next_us_ = now + grace_us_;
    grace_us_ = grace_us_ > kLeastGraceUs ? grace_us_ / 2 : 0;
    has_raised_ = true;
    StopRequest::answer();
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
  hooked_ = L;
  set_hook(L);
}

// The first time it stops at whatever comes next. Later only between instructions of Lua, so that scopes of C++, which
// errors close, are closed. The hook that was there before gets its events.
void Interrupts::set_hook(lua_State* L) {
  if (has_raised_) lua_sethook(L, stop, LUA_MASKCOUNT | before_mask_, grace_us_ > 0 ? kInstructions : 1);
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
  // A coroutine created while the hook was set inherits it.
  if (L != self.hooked_) lua_sethook(L, nullptr, 0, 0);
  const bool is_for_other = L == self.hooked_ && self.has_raised_ && event->event != LUA_HOOKCOUNT;
  if (is_for_other) {
    if (self.before_ != nullptr) self.before_(L, event);
    return;
  }
  if (self.take()) luaL_error(L, "interrupted!");
}

}  // namespace lutra
