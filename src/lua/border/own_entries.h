// Tables are read raw, since metamethods may raise and readers may not (Note [The Lua border]). A table that looks
// empty because its metatable provides the entries is an error, rather than misread.
#pragma once

#include <lua.hpp>

#include <cstddef>
#include <string_view>

namespace lutra {

// Whether the table at `index`, which has no list of its own, has an __index or a __len.
bool has_made_up_entries(lua_State* L, int index);

[[noreturn]] void fail_made_up_entries(lua_State* L, int index, const char* who, std::string_view name);

// Fails, naming the argument, if the table has made-up entries. `length` is the length of its raw list.
inline void require_own_entries(lua_State* L, int index, std::size_t length, const char* who, std::string_view name) {
  if (length == 0 && has_made_up_entries(L, index)) [[unlikely]]
    fail_made_up_entries(L, index, who, name);
}

}  // namespace lutra
