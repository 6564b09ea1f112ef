// A sandbox: the part of Lua's libraries that scripts may use if their host does not trust them. Users read
// docs/sandbox.md.
#pragma once

#include <lua.hpp>

namespace lutra {

class Limits;

// In an interpreter with all of Lua's libraries and without Lutra. Makes the private environment, which Lutra's own Lua
// code gets in place of the globals: it keeps what that needs. May raise Lua errors.
void prepare_sandbox(lua_State* L, Limits& limits);
// After Lutra has opened: takes from the globals what scripts may not use.
void close_sandbox(lua_State* L, Limits& limits);
// Pushes the private environment, or nil where there is no sandbox.
int push_private_environment(lua_State* L);

}  // namespace lutra
