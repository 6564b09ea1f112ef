#include "lua/border/tensor_group.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

constexpr int kMostGroupEntries = 1 << 24;

// Moves the `count` names of the list on top of the stack into the empty list below it, sorted, so that their order
// does not depend on the interpreter's hash seed. Neither list grows, so that no Lua call here raises.
void sort_names(lua_State* L, int count) {
  int found = lua_gettop(L), sorted = found - 1;
  std::vector<std::pair<std::string_view, int>> order;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, found, i);
    std::size_t length = 0;
    const char* name = lua_tolstring(L, -1, &length);
    order.emplace_back(std::string_view(name, length), i);
    lua_pop(L, 1);
  }
  std::sort(order.begin(), order.end());
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, found, order[static_cast<std::size_t>(i - 1)].second);
    lua_rawseti(L, sorted, i);
  }
}

void push_names(lua_State* L, State& state, int index, TensorGroup* group) {
  lua_createtable(L, group->count, 0);
  group->names = lua_gettop(L);
  lua_createtable(L, group->count, 0);
  int found = lua_gettop(L), count = 0;
  // A finalizer may have changed the table since it was checked: take at most as many as there is room for.
  for (lua_pushnil(L); lua_next(L, index) != 0;) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING || count == group->count) continue;
    lua_pushvalue(L, -1);
    lua_rawseti(L, found, ++count);
  }
  group->count = count;
  bool ok = true;
  try {
    sort_names(L, count);
  } catch (...) {
    state.keep_current_exception();
    ok = false;
  }
  if (!ok) state.raise(L);
  lua_pop(L, 1);
}

}  // namespace

void check_group(const Args& args, int index, const char* name, TensorGroup* group) {
  lua_State* L = args.L;
  *group = {};
  group->is_table = lua_type(L, index) == LUA_TTABLE;
  if (!group->is_table) return;
  auto length = static_cast<lua_Integer>(lua_rawlen(L, index));
  lua_Integer places = 0, names = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    bool is_place = lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length;
    if (!is_place && lua_type(L, -2) != LUA_TSTRING) {
      fail(ErrorCode::InvalidArgument, args.who(), ": ", name, " has the key ", what_is(L, -2),
           ", expected a list of tensors or a table of them by name");
    }
    ++(is_place ? places : names);
  }
  require(places == 0 || names == 0, args.who(), ": ", name, " has both places and names, ",
          "expected a list of tensors or a table of them by name");
  require(std::max(length, names) <= kMostGroupEntries, args.who(), ": ", name, " has ", std::max(length, names),
          " entries, at most ", kMostGroupEntries, " are possible");
  group->is_named = names > 0;
  group->count = static_cast<int>(group->is_named ? names : length);
}

void push_group(lua_State* L, State& state, int index, TensorGroup* group, const TensorGroup* like) {
  luaL_checkstack(L, 8, nullptr);
  if (like != nullptr && like->is_named) group->names = like->names;
  else if (group->is_named) push_names(L, state, index, group);
  lua_createtable(L, group->count, 0);
  group->tensors = lua_gettop(L);
  for (int i = 1; i <= group->count; ++i) {
    if (!group->is_table) {
      lua_pushvalue(L, index);
    } else {
      push_key(L, *group, i);
      lua_rawget(L, index);
    }
    lua_rawseti(L, group->tensors, i);
  }
}

std::string entry_name(lua_State* L, const TensorGroup& group, const char* name, int i) {
  if (!group.is_table) return name;
  if (!group.is_named) return text(name, "[", i, "]");
  lua_rawgeti(L, group.names, i);
  std::size_t length = 0;
  const char* key = lua_tolstring(L, -1, &length);
  std::string out = text(name, ".", std::string_view(key, std::min<std::size_t>(length, 40)));
  lua_pop(L, 1);
  return out;
}

void push_key(lua_State* L, const TensorGroup& group, int i) {
  if (group.is_named) lua_rawgeti(L, group.names, i);
  else lua_pushinteger(L, i);
}

}  // namespace lutra
