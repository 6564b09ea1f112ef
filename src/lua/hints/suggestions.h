// What was meant by a field that is not there, and by a call written with the wrong sign.
#pragma once

#include <lua.hpp>

namespace lutra {

// Pushes the message; where it says that a field of a module of Lutra's is nil, or that a tensor's field is called,
// with what to write.
void push_suggestion(lua_State* L, const char* message);

// Pushes the path ("lutra.random") of the module at `index`. False, and nothing pushed: it is none. May raise.
bool push_module_path(lua_State* L, int index);

// Pushes the field of the module `lutra` whose name is on top of the stack, in its place. Raises nothing.
void push_of_root(lua_State* L);

}  // namespace lutra
