#include "lua/ops/elements.h"

#include <algorithm>

#include "core/convert.h"

namespace lutra {

void push_scalar(lua_State* L, const Scalar& value) {
  switch (value.kind) {
    case Scalar::Kind::Bool: lua_pushboolean(L, value.i != 0); break;
    case Scalar::Kind::Int: lua_pushinteger(L, value.i); break;
    case Scalar::Kind::Float: lua_pushnumber(L, value.d); break;
  }
}

namespace {

const std::byte* push_level(lua_State* L, DType dtype, const Shape& shape, int axis, const std::byte* at) {
  if (axis == shape.rank()) {
    if (is_complex(dtype)) {
      const Complex128 value = read_complex(dtype, at);
      lua_createtable(L, 2, 0);
      lua_pushnumber(L, value.re);
      lua_rawseti(L, -2, 1);
      lua_pushnumber(L, value.im);
      lua_rawseti(L, -2, 2);
      return at + size_of(dtype);
    }
    push_scalar(L, read_element(dtype, at));
    return at + size_of(dtype);
  }
  lua_createtable(L, static_cast<int>(std::min<int64_t>(shape[axis], 1 << 20)), 0);
  for (int64_t i = 0; i < shape[axis]; ++i) {
    at = push_level(L, dtype, shape, axis + 1, at);
    lua_rawseti(L, -2, i + 1);
  }
  return at;
}

}  // namespace

void push_elements(lua_State* L, DType dtype, const Shape& shape, const std::byte* bytes) {
  luaL_checkstack(L, kMaxRank + 4, nullptr);
  push_level(L, dtype, shape, 0, bytes);
}

}  // namespace lutra
