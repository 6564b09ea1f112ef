// Ctrl-C as in lua: while Lua code runs, the first one raises "interrupted!" in it; a second one before that happens
// ends the program. At other times (at the prompt) Ctrl-C ends the program.
#pragma once

struct lua_State;

namespace lutra {

// An interruptible lua_pcall(L, arguments, results, handler). Only one at a time, on one thread.
int interruptible_call(lua_State* L, int arguments, int results, int handler);

}  // namespace lutra
