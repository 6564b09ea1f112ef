// Stops Lua from outside, as Ctrl-C does: the running coroutine raises "interrupted!", once. One per interpreter.
#pragma once

#include <cstdint>
#include <lua.hpp>

namespace lutra {

class Interrupts {
 public:
  // The interpreter's; null before luaopen_lutra.
  static Interrupts* find(lua_State* L);

  // Makes the interpreter's Interrupts and pushes it. May raise a Lua error.
  static void push_new(lua_State* L);

  // From here on requests stop `L`. Drops an earlier request.
  void begin(lua_State* L);
  // Drops a request that came too late to stop anything.
  void end();
  // Stops Lua. A signal handler may call it between begin and end, once, on the thread that Lua runs on.
  void request();
  // For long loops in C++: returns true, once, if a stop was requested. The caller must then raise "interrupted!".
  bool take();
  // A Lua function that returns how many requests have stopped something.
  static int push_taken(lua_State* L);

  // Notes that `thread` runs from now on. Returns the coroutine that ran before, to switch back to.
  lua_State* switch_to(lua_State* thread) {
    lua_State* before = running_;
    running_ = thread;
    // A request came during the switch and hooked the previous coroutine.
    if (is_wanted_ && hooked_ != thread) [[unlikely]]
      move_hook();
    return before;
  }

 private:
  static void stop(lua_State* L, lua_Debug*);
  void hook();
  void move_hook();
  void unhook();

  lua_State* volatile running_ = nullptr;
  volatile bool is_wanted_ = false;
  int64_t taken_ = 0;
  // The coroutine that has our hook, and the hook that it had before.
  lua_State* volatile hooked_ = nullptr;
  lua_Hook before_ = nullptr;
  int before_mask_ = 0, before_count_ = 0;
};

}  // namespace lutra
