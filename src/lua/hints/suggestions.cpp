#include "lua/hints/suggestions.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "lua/border/modules.h"
#include "lua/hints/foreign_names.h"

// Suggestions for a field that a module of Lutra does not have. Such a field is nil, as in any table, so that `if lt.x
// then` works. The last missing field is remembered, and if an error is about that field, the suggestion is added: what
// to write, or the nearest name. Lua makes the error; the program adds the suggestion if nothing catches it.

namespace lutra {
namespace {

constexpr RegistryKey kMissed{}, kRoot{};

// Entries of the record of the last missing field, which never grows.
constexpr int kFieldOwner = 1, kFieldPath = 2, kKey = 3;

void watch_module(lua_State* L, int record, const char* path);

// Loads the submodule with that name, which is a field from then on. False if there is none.
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

// Asks the module's own __index (lua/lutra/late.lua) for a field whose file was not loaded so far. False if there is
// none.
bool find_late(lua_State* L) {
  if (lua_isnil(L, lua_upvalueindex(3))) return false;
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

// __index of a module; upvalues: the record, the module's path, the module's own __index or nil. Returns nil, or what
// was not loaded so far.
int miss(lua_State* L) {
  lua_settop(L, 2);
  if (find_part(L) || find_late(L)) return 1;
  for (int i = kFieldOwner; i <= kKey; ++i) {
    if (i == kFieldPath) lua_pushvalue(L, lua_upvalueindex(2));
    else lua_pushvalue(L, i == kFieldOwner ? 1 : 2);
    lua_rawseti(L, lua_upvalueindex(1), i);
  }
  lua_pushnil(L);
  return 1;
}

// Gives the module on top of the stack, and those in it, a metatable. `record`: its stack index.
void watch_module(lua_State* L, int record, const char* path) {
  int module = lua_gettop(L);
  luaL_checkstack(L, 8, nullptr);
  for (lua_pushnil(L); lua_next(L, module) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TTABLE) continue;
    if (lua_getmetatable(L, -1) != 0) {
      bool is_late = lua_getfield(L, -1, "__late") != LUA_TNIL;
      lua_pop(L, 2);
      if (!is_late) continue;
    }
    const char* inner = lua_pushfstring(L, "%s.%s", path, lua_tostring(L, -2));
    lua_insert(L, -2);
    watch_module(L, record, inner);
    lua_remove(L, -2);
  }
  lua_createtable(L, 0, 2);
  if (luaL_getmetafield(L, module, "__late") != LUA_TNIL) lua_setfield(L, -2, "__late");
  lua_pushvalue(L, record);
  lua_pushstring(L, path);
  if (luaL_getmetafield(L, module, "__index") == LUA_TNIL) lua_pushnil(L);
  lua_pushcclosure(L, miss, 3);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, module);
}

// Whether the message is about `name`: "... value (field 'name')" with kind "field".
bool is_about(const char* message, const char* kind, const char* name) {
  std::string_view rest = message;
  std::size_t at = rest.find(" value (");
  if (at == std::string_view::npos) return false;
  rest.remove_prefix(at + sizeof " value (" - 1);
  for (std::string_view part : {std::string_view(kind), std::string_view(" '"), std::string_view(name)}) {
    if (!rest.starts_with(part)) return false;
    rest.remove_prefix(part.size());
  }
  return rest == "')";
}

// For `for x in t do`: Lua says only that it cannot call t.
const char* about_iterator(const char* message) {
  if (std::strstr(message, "(for iterator '") == nullptr) return nullptr;
  if (std::strstr(message, "call a lutra.data.Dataset value") != nullptr) return "for x, y in dataset:iterate() do";
  if (std::strstr(message, "call a table value") != nullptr) {
    return "for key, value in pairs(t) do, or ipairs(t) for a list";
  }
  return nullptr;
}

// For calls of a tensor's field or a dtype's name: Lua only says that a number or a string was called. Calls of a
// tensor and of its shape raise errors of their own (tensor_api.cpp, shapes.cpp).
bool push_about_call(lua_State* L, const char* message) {
  if (std::strstr(message, "attempt to call a ") == nullptr) return false;
  if (const char* words = about_iterator(message)) {
    lua_pushfstring(L, "%s; write %s", message, words);
    return true;
  }
  if (is_about(message, "method", "size")) {  // of Torch, whose size() is the shape
    lua_pushfstring(
        L, "%s; a tensor's shape is a field: write t.shape, or t.shape[i]; t.size is the number of elements", message);
    return true;
  }
  for (const char* field : {"rank", "nbytes", "dtype", "device", "name", "trainable"}) {
    if (!is_about(message, "method", field)) continue;
    lua_pushfstring(L, "%s; a tensor's %s is a field: write t.%s", message, field, field);
    return true;
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    const char* dtype = name(static_cast<DType>(i));
    if (!is_about(message, "field", dtype)) continue;
    lua_pushfstring(L, "%s; it is a dtype's name: write t:%s()", message, dtype);
    return true;
  }
  return false;
}

// Pushes the object, of a class written in Lua, whose method a failed call looked for: Lua leaves it on the stack after
// the nil that it found. The frame is the one that failed, below the message handler.
bool push_called_object(lua_State* L) {
  lua_Debug frame;
  if (lua_getstack(L, 1, &frame) == 0) return false;
  int found = 0;
  bool is_after_nil = false;
  for (int i = 1; lua_getlocal(L, &frame, i) != nullptr; ++i) {
    if (is_after_nil && lua_type(L, -1) == LUA_TTABLE && luaL_getmetafield(L, -1, "__name") != LUA_TNIL) {
      bool is_name = lua_type(L, -1) == LUA_TSTRING;
      if (is_name && std::string_view(lua_tostring(L, -1)).starts_with("lutra.")) found = i;
      lua_pop(L, 1);
    }
    is_after_nil = lua_isnil(L, -1);
    lua_pop(L, 1);
  }
  return found != 0 && lua_getlocal(L, &frame, found) != nullptr;
}

// Whether strings have this method.
bool is_string_function(lua_State* L, std::string_view name) {
  lua_pushliteral(L, "");
  bool is_one = luaL_getmetafield(L, -1, "__index") == LUA_TTABLE;
  if (is_one) {
    lua_pushlstring(L, name.data(), name.size());
    is_one = lua_rawget(L, -2) == LUA_TFUNCTION;
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  return is_one;
}

// The message for a method that an object does not have, with the nearest name in its class and that class' bases.
bool push_about_method(lua_State* L, const char* message) {
  constexpr std::string_view kBegin = "attempt to call a nil value (method '";
  const char* at = std::strstr(message, kBegin.data());
  if (at == nullptr) return false;
  std::string_view key = at + kBegin.size();
  key = key.substr(0, key.find('\''));
  const int top = lua_gettop(L);
  if (!push_called_object(L)) return false;
  if (is_own_error(L, -1) && is_string_function(L, key)) {
    lua_settop(L, top);
    lua_pushlstring(L, key.data(), key.size());
    const char* method = lua_tostring(L, -1);
    lua_pushfstring(L, "%s; an error of Lutra is an object: write tostring(e):%s(...), or e.message:%s(...)", message,
                    method, method);
    return true;
  }
  NearestWord nearest(key);
  // nearest.found() is a null-terminated Lua string, which the classes keep alive.
  while (lua_gettop(L) < top + 12 && luaL_getmetafield(L, -1, "__index") == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
      if (lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TFUNCTION) nearest.offer(lua_tostring(L, -2));
    }
  }
  lua_settop(L, top);
  if (nearest.found().empty()) return false;
  lua_pushfstring(L, "%s (did you mean '%s'?)", message, nearest.found().data());
  return true;
}

// Pushes "; write " and what to write for a missing name of module `path`: if it is another library's name, or one that
// is in `lutra` itself.
bool push_instead(lua_State* L, const char* path, const char* key) {
  std::string_view name = path;
  bool is_root = name == "lutra";
  name.remove_prefix(std::min(name.size(), sizeof "lutra." - 1));
  std::string_view words = foreign_function(is_root ? std::string(key) : text(name, ".", key));
  if (words.empty() && !is_root) {
    lua_pushstring(L, key);
    push_of_root(L);
    bool is_ours = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (is_ours) {
      lua_pushfstring(L, "; write lutra.%s", key);
      return true;
    }
    words = foreign_function(key);
  }
  if (words.empty()) return false;
  lua_pushliteral(L, "; write ");
  lua_pushlstring(L, words.data(), words.size());
  lua_concat(L, 2);
  return true;
}

}  // namespace

bool push_module_path(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || luaL_getmetafield(L, index, "__index") == LUA_TNIL) return false;
  bool is_module = lua_tocfunction(L, -1) == miss && lua_getupvalue(L, -1, 2) != nullptr;
  if (is_module) lua_remove(L, -2);
  else lua_pop(L, 1);
  return is_module;
}

void push_of_root(lua_State* L) {
  State::push(L, kRoot);
  lua_insert(L, -2);
  if (lua_type(L, -2) == LUA_TTABLE) lua_rawget(L, -2);
  lua_remove(L, -2);
}

void push_suggestion(lua_State* L, const char* message) {
  luaL_checkstack(L, 20, nullptr);
  State::push(L, kMissed);
  int record = lua_gettop(L);
  bool is_about_it = lua_type(L, record) == LUA_TTABLE && lua_rawgeti(L, record, kKey) == LUA_TSTRING &&
                     std::strstr(message, " a nil value") != nullptr && is_about(message, "field", lua_tostring(L, -1));
  if (!is_about_it) {
    lua_settop(L, record - 1);
    if (!push_about_call(L, message) && !push_about_method(L, message)) lua_pushstring(L, message);
    return;
  }
  std::string_view key = lua_tostring(L, -1);
  lua_rawgeti(L, record, kFieldPath);
  const char* path = lua_tostring(L, -1);
  if (push_instead(L, path, key.data())) {
    lua_pushstring(L, message);
    lua_insert(L, -2);
    lua_concat(L, 2);
    lua_replace(L, record);
    lua_settop(L, record);
    return;
  }
  if (key.starts_with("reduce_")) key.remove_prefix(sizeof "reduce_" - 1);
  NearestWord nearest(key);
  lua_rawgeti(L, record, kFieldOwner);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) nearest.offer(lua_tostring(L, -2));
  }
  // nearest.found() is a null-terminated Lua string.
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
  state.set(L, kRoot);
  lua_pushvalue(L, module);
  watch_module(L, module + 1, "lutra");
  lua_settop(L, module);
}

}  // namespace lutra
