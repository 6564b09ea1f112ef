// TEMPORARY
#pragma once
#include <cstring>
#include "lua/guard.h"
namespace lutra {
inline bool push_option(Args& args, int index, std::initializer_list<const char*> known, const char* key) {
  lua_State* L = args.L;
  if (lua_isnoneornil(L, index)) {
    lua_pushnil(L);
    return false;
  }
  if (lua_type(L, index) != LUA_TTABLE) args.wrong(index, "options", "a table of options");
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    bool is_known = false;
    std::string word = what_is(L, -2);
    if (lua_type(L, -2) == LUA_TSTRING) {
      for (const char* name : known) is_known |= std::strcmp(name, lua_tostring(L, -2)) == 0;
      word = lua_tostring(L, -2);
    }
    if (is_known) continue;
    NearestWord nearest(word);
    std::string all;
    for (const char* name : known) {
      nearest.offer(name);
      all += text(all.empty() ? "" : ", ", name);
    }
    fail(ErrorCode::InvalidArgument, args.who(), ": unknown option '", std::string_view(word).substr(0, 40), "'",
         nearest.hint(), "; it takes ", all);
  }
  lua_pushstring(L, key);
  return lua_rawget(L, index) != LUA_TNIL;
}
}  // namespace lutra
