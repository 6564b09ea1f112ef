#include "lua/suggestions.h"

#include <cstring>

#include "core/text.h"
#include "lua/modules.h"

// What may have been meant where a program uses a field that a module of Lutra's does not have. Such a field is nil, as
// in any table, so that `if lt.x then` works. The last one missed is remembered, and an error about just that field
// tells the nearest name there is.

namespace lutra {
namespace {

constexpr RegistryKey kMissed{};

// Entries of the record of what was missed, which never grows.
constexpr int kModule = 1, kPath = 2, kKey = 3;

void watch_module(lua_State* L, int record, const char* path);

// A part of Lutra that is loaded when it is first asked for, from then on a field. False: there is none called so.
bool find_part(lua_State* L) {
  if (lua_type(L, 2) != LUA_TSTRING || std::strcmp(lua_tostring(L, lua_upvalueindex(2)), "lutra") != 0) return false;
  if (!push_part(L, 1, lua_tostring(L, 2))) return false;
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_rawset(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  const char* path = lua_pushfstring(L, "lutra.%s", lua_tostring(L, 2));
  lua_pushvalue(L, 3);
  watch_module(L, 4, path);
  return true;
}

// __index of a module; upvalues: the record, the module's path. Gives nil, or a part that was not loaded so far.
int miss(lua_State* L) {
  lua_settop(L, 2);
  if (find_part(L)) return 1;
  for (int i = kModule; i <= kKey; ++i) {
    if (i == kPath) lua_pushvalue(L, lua_upvalueindex(2));
    else lua_pushvalue(L, i == kModule ? 1 : 2);
    lua_rawseti(L, lua_upvalueindex(1), i);
  }
  lua_pushnil(L);
  return 1;
}

// Gives the module on top of the stack, and those in it, a metatable. `record`: where that lies.
void watch_module(lua_State* L, int record, const char* path) {
  int module = lua_gettop(L);
  luaL_checkstack(L, 8, nullptr);
  for (lua_pushnil(L); lua_next(L, module) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TTABLE) continue;
    if (lua_getmetatable(L, -1) != 0) {
      lua_pop(L, 1);
      continue;
    }
    const char* inner = lua_pushfstring(L, "%s.%s", path, lua_tostring(L, -2));
    lua_insert(L, -2);
    watch_module(L, record, inner);
    lua_remove(L, -2);
  }
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, record);
  lua_pushstring(L, path);
  lua_pushcclosure(L, miss, 2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, module);
}

bool ends_with_field(const char* message, const char* key) {
  const char* found = std::strstr(message, " nil value (field '");
  if (found == nullptr) return false;
  found += sizeof " nil value (field '" - 1;
  std::size_t length = std::strlen(key);
  return std::strncmp(found, key, length) == 0 && std::strcmp(found + length, "')") == 0;
}

}  // namespace

void push_suggestion(lua_State* L, const char* message) {
  State::push(L, kMissed);
  int record = lua_gettop(L);
  bool is_about_it = lua_type(L, record) == LUA_TTABLE && lua_rawgeti(L, record, kKey) == LUA_TSTRING &&
                     ends_with_field(message, lua_tostring(L, -1));
  if (!is_about_it) {
    lua_settop(L, record - 1);
    lua_pushstring(L, message);
    return;
  }
  std::string_view key = lua_tostring(L, -1);
  if (key.starts_with("reduce_")) key.remove_prefix(sizeof "reduce_" - 1);
  NearestWord nearest(key);
  lua_rawgeti(L, record, kPath);
  const char* path = lua_tostring(L, -1);
  lua_rawgeti(L, record, kModule);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) nearest.offer(lua_tostring(L, -2));
  }
  // The words found end where Lua's strings end.
  if (nearest.found().empty()) lua_pushstring(L, message);
  else lua_pushfstring(L, "%s (did you mean '%s.%s'?)", message, path, nearest.found().data());
  lua_replace(L, record);
  lua_settop(L, record);
}

void open_suggestions(lua_State* L, State& state) {
  int module = lua_gettop(L);
  lua_createtable(L, kKey, 0);
  lua_pushvalue(L, -1);
  state.set(L, kMissed);
  lua_pushvalue(L, module);
  watch_module(L, module + 1, "lutra");
  lua_settop(L, module);
}

}  // namespace lutra
