// Takes the values of an entry's top-level locals when its chunk ends, so that they persist. Lua drops locals with the
// chunk; a return hook sees them last. On an error the message handler does.
#pragma once

struct lua_State;

namespace lutra {

// The session object (lua/lutra/repl/session.lua) is at `session`; it has `chunk`, the entry's function, and `names`,
// the set of names to take. Until end_capture, the locals go to its function `keep`. May raise a Lua error.
void begin_capture(lua_State* L, int session);
// Sets the hook. One that the user has set stays; then locals are kept on errors only. Raises nothing.
void hook_returns(lua_State* L);
// Takes the locals of the chunk that failed, if it is below the message handler that calls this. May raise.
void capture_failed(lua_State* L);
// Raises nothing.
void end_capture(lua_State* L);

// An entry may run inside another session's entry, which polls a socket. Pushes the state of that one's capture;
// restore_capture pops it, and may raise a Lua error.
constexpr int kCaptureValues = 2;
void push_capture(lua_State* L);
void restore_capture(lua_State* L);

}  // namespace lutra
