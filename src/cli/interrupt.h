// Ctrl-C while Lua runs raises "interrupted!", as in lua. A second one in the same call ends the program (in an entry
// of the prompt, the third). At other times Ctrl-C ends the program, except at an idle prompt in a terminal.
#pragma once

struct lua_State;

namespace lutra {

// An interruptible lua_pcall(L, arguments, results, handler). Only one at a time, on one thread.
int interruptible_call(lua_State* L, int arguments, int results, int handler);

// The same for an entry of the prompt: "interrupted!" is raised again until the entry has ended, a second Ctrl-C raises
// it at once, and a third ends the program.
int interruptible_entry(lua_State* L, int arguments, int results, int handler);

// While it lives, Ctrl-C between entries ends a read that waits for input, with EINTR, and interrupts the entry that
// comes next. A third press ends the program.
class IdleInterrupts {
 public:
  IdleInterrupts();
  ~IdleInterrupts();
  // Drops presses so far: a new entry is about to be read, or the read has answered them.
  void forget();
  IdleInterrupts(const IdleInterrupts&) = delete;
};

}  // namespace lutra
