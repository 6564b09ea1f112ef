// Queries of tensors that Lutra's own Lua makes in each training step: one call instead of several field accesses, and
// without a table for the shape.

#include "lua/border/box.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// is_tensor(value)
int is_tensor(lua_State* L) {
  lua_pushboolean(L, to_live_box(L, 1) != nullptr);
  return 1;
}

// is_shape(value): whether it is the shape of a tensor.
int is_shape_table(lua_State* L) {
  lua_pushboolean(L, lua_type(L, 1) == LUA_TTABLE && is_shape(L, 1));
  return 1;
}

// has_rank(value, rank): whether it is a tensor of that rank.
int has_rank(lua_State* L) {
  const Box* box = to_live_box(L, 1);
  lua_pushboolean(L, box != nullptr && box->tensor.rank == lua_tointeger(L, 2));
  return 1;
}

// has_rows(value, shape): whether it is a tensor whose rows have this shape, a list of sizes in which -1 matches any.
int has_rows(lua_State* L) {
  const Box* box = to_live_box(L, 1);
  bool fits = box != nullptr && lua_type(L, 2) == LUA_TTABLE && box->tensor.rank == lua_rawlen(L, 2) + 1;
  for (int axis = 1; fits && axis < box->tensor.rank; ++axis) {
    lua_rawgeti(L, 2, axis);
    const lua_Integer size = lua_tointeger(L, -1);
    fits = size == -1 || size == box->tensor.dims[axis];
    lua_pop(L, 1);
  }
  lua_pushboolean(L, fits);
  return 1;
}

// have_one_shape(a, b): whether both are tensors, of the same shape.
int have_one_shape(lua_State* L) {
  const Box *a = to_live_box(L, 1), *b = to_live_box(L, 2);
  bool same = a != nullptr && b != nullptr && a->tensor.rank == b->tensor.rank;
  for (int axis = 0; same && axis < a->tensor.rank; ++axis) same = a->tensor.dims[axis] == b->tensor.dims[axis];
  lua_pushboolean(L, same);
  return 1;
}

}  // namespace

void open_tensor_questions(lua_State* L) {
  constexpr luaL_Reg kFunctions[] = {
      {"is_tensor", is_tensor}, {"is_shape", is_shape_table},       {"has_rank", has_rank},
      {"has_rows", has_rows},   {"have_one_shape", have_one_shape}, {nullptr, nullptr}};
  luaL_setfuncs(L, kFunctions, 0);
}

}  // namespace lutra
