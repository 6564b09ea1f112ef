// What Lua's print writes, as one string.
#pragma once

#include <lua.hpp>

namespace lutra {

// Pushes the `count` values from stack index 1 on as print writes them: between tabs, with a newline at the end. May
// raise a Lua error.
inline void push_printed(lua_State* L, int count) {
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; ++i) {
    if (i > 1) luaL_addchar(&line, '\t');
    luaL_tolstring(L, i, nullptr);
    luaL_addvalue(&line);
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
}

}  // namespace lutra
