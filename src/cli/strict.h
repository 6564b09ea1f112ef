// --strict: reading or setting an undeclared global is an error.
#pragma once

struct lua_State;

namespace lutra {

// May raise a Lua error.
void open_strict(lua_State* L);

}  // namespace lutra
