// Error objects in Lua: their text, and lutra.iserror. State::raise (error_bridge.cpp) makes them.

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// iserror(value[, code]): whether it is an error of Lutra's (of that code).
int iserror(Args& args) {
  lua_State* L = args.L;
  args.at_most(2);
  std::string_view code;
  if (args.has(2)) {
    code = args.string(2, "code");
    bool known = false;
    for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) known |= code == name(static_cast<ErrorCode>(i));
    require(known, "iserror: there is no error code ", what_is(L, 2));
  }
  bool is_error = is_own_error(L, 1);
  if (is_error && args.has(2)) {
    lua_pushlstring(L, "code", 4);
    lua_rawget(L, 1);
    is_error = lua_type(L, -1) == LUA_TSTRING && code == lua_tostring(L, -1);
  }
  lua_pushboolean(L, is_error);
  return 1;
}

// tostring of an error: "train.lua:7: matmul: ..."
int error_text(lua_State* L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TTABLE) {
    lua_pushliteral(L, "lutra.Error");
    return 1;
  }
  lua_pushliteral(L, "where");
  lua_rawget(L, 1);
  lua_pushliteral(L, "message");
  lua_rawget(L, 1);
  if (lua_type(L, 3) != LUA_TSTRING) return luaL_error(L, "not an error of Lutra's");
  if (lua_type(L, 2) != LUA_TSTRING) return 1;
  // Not by a format, as the message may contain a zero byte.
  lua_pushvalue(L, 2);
  lua_pushliteral(L, " ");
  lua_pushvalue(L, 3);
  lua_concat(L, 3);
  return 1;
}

}  // namespace

bool is_own_error(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_getmetatable(L, index) == 0) return false;
  State::push(L, State::kErrorMeta);
  bool is_own = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return is_own;
}

int concat_as_text(lua_State* L) {
  luaL_tolstring(L, 1, nullptr);
  luaL_tolstring(L, 2, nullptr);
  lua_concat(L, 2);
  return 1;
}

void open_errors(lua_State* L, State& state) {
  set_function<iserror>(L, state, "iserror", "iserror");
  lua_newtable(L);
  lua_pushcfunction(L, error_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, concat_as_text);
  lua_setfield(L, -2, "__concat");
  lua_pushstring(L, "lutra.Error");
  lua_setfield(L, -2, "__name");
  state.set(L, State::kErrorMeta);
}

}  // namespace lutra
