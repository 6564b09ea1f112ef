// Where a script is: the line that runs, and the calls that led there. Lutra's own Lua (prelude.lua) is passed over
// where the user's line is asked for.
#pragma once

#include <lua.hpp>

#include <string>

namespace lutra {

// The innermost frame that runs the user's Lua, from level `first` on; level 0 is the C function that asks.
bool find_script_frame(lua_State* L, lua_Debug* frame, int first = 0);

// The level of the function that this frame called, Lutra's or another; -1 when there is no such frame.
int find_called(lua_State* L);

// "train.lua:7" of that frame; "" without one.
std::string script_line(lua_State* L);

// Pushes the calls as luaL_traceback does, but for the names it finds by searching all loaded modules at each level,
// which takes longer than most ops. May raise a Lua error.
void push_traceback(lua_State* L);

}  // namespace lutra
