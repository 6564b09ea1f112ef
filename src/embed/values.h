// Values on their way between the host and Lua.
#pragma once

#include "embed/host.h"

namespace lutra::embed {

// Whether the caller's value can be read; fails with `who` otherwise. Lists are checked to their end.
void check_value(const char* who, const lutra_value* value);
void check_values(const char* who, const lutra_value* values, std::size_t count);

// Pushes a value that was checked. May raise a Lua error: of memory, of a tensor that cannot be in this interpreter.
void push_value(lua_State* L, lutra_t& lutra, const lutra_value& value);

// Fills `out` from the value at `index`. What `out` gets is owned, except for strings with `lends`, which then live as
// long as the stack slot. May raise a Lua error of memory, with `out` nil.
void take_value(lua_State* L, lutra_t& lutra, int index, lutra_value* out, bool lends = false);

void clear_values(lutra_value* values, std::size_t count);

}  // namespace lutra::embed
