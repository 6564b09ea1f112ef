// Sets fields of the table on top of Lua's stack. They may raise Lua errors, when memory is short.
#pragma once

#include <lua.hpp>
#include <string_view>

namespace lutra {

inline void set_number(lua_State* L, const char* key, double number) {
  lua_pushnumber(L, number);
  lua_setfield(L, -2, key);
}
inline void set_flag(lua_State* L, const char* key, bool flag) {
  lua_pushboolean(L, flag);
  lua_setfield(L, -2, key);
}
inline void set_string(lua_State* L, const char* key, std::string_view value) {
  lua_pushlstring(L, value.data(), value.size());
  lua_setfield(L, -2, key);
}

}  // namespace lutra
