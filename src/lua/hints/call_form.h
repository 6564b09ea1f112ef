// Calls with the wrong sign: a module's function called with a colon, a method with a dot.
#pragma once

#include <lua.hpp>

namespace lutra {

// Called on an error. If the function that the script called got the module as its first argument, or is a method and
// got none of its objects, pushes a message to replace the error's and returns true; else pushes nothing. May raise a
// Lua error.
bool push_call_form(lua_State* L);

}  // namespace lutra
