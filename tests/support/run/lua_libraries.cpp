// A C module that opens a fresh interpreter with only some of Lua's libraries, as sandboxes and thread libraries do: it
// needs the ten luaopen_* from the program that loads it.
#include <lua.hpp>

// Returns the number of libraries that could be opened.
extern "C" int luaopen_lua_libraries(lua_State* L) {
  const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base},          {LUA_COLIBNAME, luaopen_coroutine}, {LUA_TABLIBNAME, luaopen_table},
      {LUA_IOLIBNAME, luaopen_io},        {LUA_OSLIBNAME, luaopen_os},        {LUA_STRLIBNAME, luaopen_string},
      {LUA_UTF8LIBNAME, luaopen_utf8},    {LUA_MATHLIBNAME, luaopen_math},    {LUA_DBLIBNAME, luaopen_debug},
      {LUA_LOADLIBNAME, luaopen_package},
  };
  lua_State* inner = luaL_newstate();
  int opened = 0;
  for (const luaL_Reg& library : libraries) {
    luaL_requiref(inner, library.name, library.func, 1);
    opened += lua_istable(inner, -1) ? 1 : 0;
    lua_pop(inner, 1);
  }
  lua_close(inner);
  lua_pushinteger(L, opened);
  return 1;
}
