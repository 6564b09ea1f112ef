// Suggestions for a field that does not exist, and for a call written with the wrong sign.
#pragma once

#include <lua.hpp>

namespace lutra {

// Pushes the error message. If it says that a field of a Lutra module is nil, or that a tensor's field is called, adds
// what to write instead.
void push_suggestion(lua_State* L, const char* message);

// Pushes the path ("lutra.random") of the module at `index`. Returns false and pushes nothing if it is not a module.
// May raise a Lua error.
bool push_module_path(lua_State* L, int index);

// Replaces the name on top of the stack by that field of the module `lutra`. Raises no error.
void push_of_root(lua_State* L);

}  // namespace lutra
