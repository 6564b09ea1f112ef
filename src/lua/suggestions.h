// What was meant by a field that is not there, for errors that nobody caught.
#pragma once

#include <lua.hpp>

namespace lutra {

// Pushes the message; where it says that a field of a module of Lutra's is nil, with the nearest name there is.
void push_suggestion(lua_State* L, const char* message);

}  // namespace lutra
