// Shapes are tables that print as (2, 3), compare by value, also with users' tables, and take -1 as the last axis.

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kShapeMeta{};

int shape_text(lua_State* L) {
  luaL_Buffer out;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer rank = static_cast<lua_Integer>(lua_rawlen(L, 1));
  luaL_buffinit(L, &out);
  luaL_addchar(&out, '(');
  for (lua_Integer i = 1; i <= rank; ++i) {
    if (i > 1) luaL_addstring(&out, ", ");
    lua_rawgeti(L, 1, i);
    luaL_addvalue(&out);
  }
  luaL_addstring(&out, rank == 1 ? ",)" : ")");
  luaL_pushresult(&out);
  return 1;
}

int shape_equal(lua_State* L) {
  bool equal = lua_type(L, 1) == LUA_TTABLE && lua_type(L, 2) == LUA_TTABLE && lua_rawlen(L, 1) == lua_rawlen(L, 2);
  for (lua_Integer i = 1; equal && i <= static_cast<lua_Integer>(lua_rawlen(L, 1)); ++i) {
    lua_rawgeti(L, 1, i);
    lua_rawgeti(L, 2, i);
    equal = lua_compare(L, -1, -2, LUA_OPEQ) != 0;
    lua_pop(L, 2);
  }
  lua_pushboolean(L, equal);
  return 1;
}

// shape[i] for a key that is not in the table: an axis counted from the end, else an error. But nil for callers in C:
// ipairs and the functions of `table` iterate until nil.
int shape_index(Args& args) {
  lua_State* L = args.L;
  std::optional<int64_t> axis = integral(L, 2);
  auto rank = static_cast<int64_t>(lua_rawlen(L, 1));
  if (axis && *axis < 0 && *axis >= -rank) {
    lua_rawgeti(L, 1, rank + 1 + *axis);
    return 1;
  }
  lua_pushnil(L);
  lua_Debug caller;
  bool is_walk = lua_getstack(L, 1, &caller) != 0 && lua_getinfo(L, "S", &caller) != 0 && *caller.what == 'C';
  if (!axis || is_walk) return 1;
  require(*axis != 0, "shape[0]: axes count from 1, -1 is the last");
  fail(ErrorCode::OutOfRange, "shape[", *axis, "]: there ", rank == 1 ? "is 1 axis" : text("are ", rank, " axes"));
}

// t:shape(). An error of Lua's would have no hint where it is caught.
int call_shape(Args&) {
  fail(ErrorCode::InvalidArgument,
       "attempt to call a tensor's shape (method 'shape'); a tensor's shape is a field: write t.shape, or t.shape[i]");
}

}  // namespace

bool is_shape(lua_State* L, int index) {
  if (lua_getmetatable(L, index) == 0) return false;
  State::push(L, kShapeMeta);
  bool is_one = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return is_one;
}

void push_shape(lua_State* L, State& state, const Shape& shape) {
  lua_createtable(L, shape.rank(), 0);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    lua_pushinteger(L, shape[axis]);
    lua_rawseti(L, -2, axis + 1);
  }
  state.push(L, kShapeMeta);
  lua_setmetatable(L, -2);
}

void open_shapes(lua_State* L, State& state) {
  lua_newtable(L);
  lua_pushcfunction(L, shape_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, concat_as_text);
  lua_setfield(L, -2, "__concat");
  lua_pushcfunction(L, shape_equal);
  lua_setfield(L, -2, "__eq");
  set_function<shape_index>(L, state, "__index", "shape");
  set_function<call_shape>(L, state, "__call", "shape");
  lua_pushstring(L, "lutra.Shape");
  lua_setfield(L, -2, "__name");
  state.set(L, kShapeMeta);
}

}  // namespace lutra
