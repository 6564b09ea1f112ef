// A script's position: the running line, and the call stack. To find the user's line, Lutra's own Lua (prelude.lua) is
// skipped.
#pragma once

#include <lua.hpp>

namespace lutra {

// Finds the innermost frame that runs the user's Lua, from level `first` on; level 0 is the calling C function.
bool find_script_frame(lua_State* L, lua_Debug* frame, int first = 0);

// Raises the message as luaL_error does, but with the user's line where that would name one of Lutra's Lua.
int raise_in_script(lua_State* L, const char* message);

// The level of the function that this frame called, Lutra's or another; -1 if there is no such frame.
int find_called(lua_State* L);

// Pushes the call stack as luaL_traceback does, but without the function names that it finds by searching all loaded
// modules at each level, which takes longer than most ops. May raise a Lua error.
void push_traceback(lua_State* L);

}  // namespace lutra
