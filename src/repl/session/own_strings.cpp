#include "repl/session/own_strings.h"

#include "lua/border/state.h"

namespace lutra {
namespace {

// A list: a string, our metatable, its "__index", string itself, the metatable that a swap has replaced (or false), and
// the names of string's functions.
constexpr RegistryKey kStrings{};
enum Slot : int { kAnyString = 1, kOurs, kIndexKey, kLibrary, kReplaced, kFirstName };

// With the list at -1: whether strings have string as their __index, with the functions that it had.
bool is_untouched(lua_State* L) {
  const int list = lua_gettop(L);
  lua_rawgeti(L, list, kAnyString);
  bool same = lua_getmetatable(L, -1) != 0;
  if (same) {
    lua_rawgeti(L, list, kIndexKey);
    lua_rawget(L, -2);
    lua_rawgeti(L, list, kLibrary);
    same = lua_rawequal(L, -1, -2) != 0;
  }
  lua_settop(L, list);
  if (!same) return false;
  lua_rawgeti(L, list, kLibrary);
  lua_rawgeti(L, list, kOurs);
  lua_rawgeti(L, list, kIndexKey);
  lua_rawget(L, -2);
  lua_replace(L, -2);
  for (lua_Integer at = kFirstName; same && lua_rawgeti(L, list, at) != LUA_TNIL; ++at) {
    lua_pushvalue(L, -1);
    lua_rawget(L, list + 1);
    lua_insert(L, -2);
    lua_rawget(L, list + 2);
    same = lua_rawequal(L, -1, -2) != 0;
    lua_settop(L, list + 2);
  }
  lua_settop(L, list);
  return same;
}

}  // namespace

void OwnStrings::remember(lua_State* L) {
  lua_getglobal(L, "string");
  const int library = lua_gettop(L);
  if (!lua_istable(L, library)) {
    lua_pop(L, 1);
    return;
  }
  lua_newtable(L);  // the list
  lua_pushliteral(L, "");
  lua_rawseti(L, -2, kAnyString);
  lua_pushliteral(L, "__index");
  lua_rawseti(L, -2, kIndexKey);
  lua_pushvalue(L, library);
  lua_rawseti(L, -2, kLibrary);
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, kReplaced);
  lua_newtable(L);  // our metatable
  lua_newtable(L);  // a copy of string
  lua_Integer name = kFirstName;
  for (lua_pushnil(L); lua_next(L, library) != 0;) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      lua_pushvalue(L, -2);
      lua_rawseti(L, library + 1, name++);
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    } else {
      lua_pop(L, 1);
    }
  }
  lua_setfield(L, -2, "__index");
  lua_rawseti(L, -2, kOurs);
  State::set(L, kStrings);
  lua_pop(L, 1);
}

OwnStrings::OwnStrings(lua_State* L) : L_(L) {
  const int top = lua_gettop(L);
  State::push(L, kStrings);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, kReplaced);
    const bool is_outermost = lua_isboolean(L, -1);
    lua_pop(L, 1);
    if (is_outermost && !is_untouched(L)) {
      const int list = lua_gettop(L);
      lua_rawgeti(L, list, kAnyString);
      if (lua_getmetatable(L, -1) == 0) lua_pushnil(L);
      lua_rawseti(L, list, kReplaced);
      lua_rawgeti(L, list, kOurs);
      lua_setmetatable(L, -2);
      is_swapped_ = true;
    }
  }
  lua_settop(L, top);
}

OwnStrings::~OwnStrings() {
  if (!is_swapped_) return;
  const int top = lua_gettop(L_);
  State::push(L_, kStrings);
  lua_rawgeti(L_, -1, kAnyString);
  lua_rawgeti(L_, -2, kReplaced);
  lua_setmetatable(L_, -2);
  lua_pop(L_, 1);
  lua_pushboolean(L_, 0);
  lua_rawseti(L_, -2, kReplaced);
  lua_settop(L_, top);
}

}  // namespace lutra
