// The string at a stack index, without conversion; "" if another type is there. Valid while the value is on the stack.
#pragma once

#include <cstddef>
#include <string_view>

#include "lua/border/state.h"

namespace lutra {

inline std::string_view string_at(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) return "";
  std::size_t size = 0;
  const char* text = lua_tolstring(L, index, &size);
  return {text, size};
}

}  // namespace lutra
