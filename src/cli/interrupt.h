// Ctrl-C as in lua: while Lua code runs, the first one raises "interrupted!" in it, a second one that comes before that
// happened ends the program. Elsewhere (at the prompt) Ctrl-C ends the program.
#pragma once

struct lua_State;

namespace lutra {

// lua_pcall(L, arguments, results, handler), interruptible. One at a time, on one thread.
int interruptible_call(lua_State* L, int arguments, int results, int handler);

}  // namespace lutra
