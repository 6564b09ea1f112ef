// Stops Lua from outside, as Ctrl-C does: the running coroutine raises "interrupted!". In scripts once; at the prompt
// again and again until the entry has ended, so that loops around pcall end too. One per interpreter.
#pragma once

#include <atomic>
#include <cstdint>
#include <lua.hpp>

namespace lutra {

class FreeHold;
class Limits;

class Interrupts {
 public:
  // The interpreter's; null before luaopen_lutra.
  static Interrupts* find(lua_State* L);

  // Makes the interpreter's Interrupts and pushes it. May raise a Lua error.
  static void push_new(lua_State* L);

  // From here on requests stop `L`. Drops an earlier request. insists: a request is raised again until `end`. Code that
  // caught it has some milliseconds to clean up before the second time, and half as many after each.
  void begin(lua_State* L, bool insists = false);
  // For a host that runs Lua itself: a request is possible at any time, as after begin(L).
  void be_always_ready(lua_State* L) {
    is_always_ready_ = true;
    begin(L);
  }
  bool is_always_ready() const { return is_always_ready_; }
  // Drops a request that came too late to stop anything.
  void end();
  // Stops Lua. A signal handler may call it between begin and end, on the thread that Lua runs on.
  void request();
  // Whether a stop was requested since `begin`, until `end`.
  bool is_requested() const { return is_wanted_; }
  // What `begin` was called with; the coroutine is the one that runs now.
  lua_State* running() const { return running_; }
  bool insists() const { return insists_; }
  // Stops Lua, from any thread at any time. Returns false if nothing runs between begin and end. The interpreter must
  // live until it returns. See Note [Interrupts from other threads].
  bool request_from_outside();
  // Sets a hook for the next instruction of what runs, if it has none, from any thread at any time. The same
  // conditions.
  void hook_from_outside(lua_Hook hook);
  // Sets our hook again where another has taken its place. Returns false if the coroutine does not have ours.
  bool rehook(lua_State* L);
  // The Limits to notify of the next stop and of switches between coroutines; null: none.
  void set_limits(Limits* limits) { limits_ = limits; }
  // Without one, only requests of signal handlers are safe.
  void set_hold(FreeHold* hold) { hold_ = hold; }
  // For long loops in C++: whether a stop was requested and is due. The caller must then raise "interrupted!".
  bool take();
  int64_t taken() const { return taken_; }
  // Whether the hook of a stop that insists has raised in this coroutine, since `begin`.
  bool has_stopped(const lua_State* thread) const { return insists_ && stopped_ == thread; }
  // A Lua function that returns how many requests have stopped something.
  static int push_taken(lua_State* L);

  // Notes that `thread` runs from now on. Returns the coroutine that ran before, to switch back to.
  lua_State* switch_to(lua_State* thread) {
    lua_State* before = running_;
    running_ = thread;
    if (limits_ != nullptr) [[unlikely]]
      tell_limits(thread);
    if (is_asked_.load(std::memory_order_relaxed)) [[unlikely]]
      answer_outside();
    // A request came during the switch and hooked the previous coroutine.
    if (is_wanted_ && hooked_ != thread) [[unlikely]]
      move_hook();
    return before;
  }

 private:
  static void stop(lua_State* L, lua_Debug* event);
  void set_hook(lua_State* L);
  void hook();
  void move_hook();
  void unhook();
  void tell_limits(lua_State* thread);
  bool claim_running();
  void answer_outside();
  void forget_outside();

  lua_State* volatile running_ = nullptr;
  volatile bool is_wanted_ = false;
  bool insists_ = false;
  bool is_always_ready_ = false;
  bool has_raised_ = false;       // since the request
  bool is_from_outside_ = false;  // looks at each instruction, as nobody asks again
  int64_t grace_us_ = 0;          // until it is raised again
  volatile int64_t next_us_ = 0;  // when it is due
  int64_t taken_ = 0;
  const lua_State* stopped_ = nullptr;  // the coroutine in which the hook raised last
  // The coroutine that has our hook, and the hook that it had before.
  lua_State* volatile hooked_ = nullptr;
  lua_Hook before_ = nullptr;
  int before_mask_ = 0, before_count_ = 0;

  // For requests from other threads.
  enum Running : int { kIdle, kRunning, kStopping };
  std::atomic<int> is_running_{kIdle};
  std::atomic<bool> is_asked_{false};       // and not yet answered by Lua's thread
  std::atomic<bool>* stop_flag_ = nullptr;  // of Lua's thread
  lua_State* poked_ = nullptr;              // the coroutine that got our hook, and what it had before
  lua_Hook poked_before_ = nullptr;
  int poked_mask_ = 0, poked_count_ = 0;
  FreeHold* hold_ = nullptr;
  Limits* limits_ = nullptr;
};

}  // namespace lutra
