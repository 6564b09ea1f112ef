// A call with the wrong sign: a module's function behind a colon, a method behind a dot.
#pragma once

#include <lua.hpp>

namespace lutra {

// What to say of an error in place of its own words when the function that the script called got the module for its
// first argument, or is a method and got none of its objects: pushed. False, and nothing pushed: the call is no such
// one. May raise a Lua error.
bool push_call_form(lua_State* L);

}  // namespace lutra
