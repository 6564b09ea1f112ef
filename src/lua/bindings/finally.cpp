// What must be set right whatever happens, Ctrl-C included: `finally`, for Lutra's own Lua.

#include "lua/border/modules.h"

namespace lutra {
namespace {

// Where the arguments stand.
enum : int { kFinish = 1, kArgument, kFunction };

// finally(finish, argument, f, ...): f(...), then finish(argument), also when f raises. Between the two nothing of
// Lua's runs, where a hook (Ctrl-C's is one) could raise. It can in finish, which then is called once more, so it must
// bear that; a second Ctrl-C ends the process. f cannot yield.
int call_finally(lua_State* L) {
  int status = lua_pcall(L, lua_gettop(L) - kFunction, LUA_MULTRET, 0);
  if (lua_checkstack(L, LUA_MINSTACK) == 0) {
    lua_settop(L, kArgument);
    lua_pushliteral(L, "stack overflow");
    status = LUA_ERRRUN;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    lua_pushvalue(L, kFinish);
    lua_pushvalue(L, kArgument);
    const int finished = lua_pcall(L, 1, 0, 0);
    if (finished == LUA_OK) break;
    // The first error counts.
    if (status == LUA_OK) {
      lua_insert(L, kFunction);
      lua_settop(L, kFunction);
      status = finished;
    } else {
      lua_pop(L, 1);
    }
  }
  if (status != LUA_OK) return lua_error(L);
  return lua_gettop(L) - kArgument;
}

}  // namespace

void open_finally(lua_State* L) {
  lua_pushcfunction(L, call_finally);
  lua_setfield(L, -2, "finally");
}

}  // namespace lutra
