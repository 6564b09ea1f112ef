// `finally`: cleanup that runs whatever happens, Ctrl-C included, for Lutra's own Lua.

#include "lua/border/modules.h"

namespace lutra {
namespace {

// Where the arguments stand.
enum : int { kFinish = 1, kArgument, kFunction };

// finally(finish, argument, f, ...): calls f(...), then finish(argument), even if f raises. Between the two no Lua code
// runs, in which a hook (such as Ctrl-C's) could raise. A hook can raise in finish, which is then called once more, so
// finish must be repeatable; a second Ctrl-C ends the process. f cannot yield.
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
    // The first error is the one raised.
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
