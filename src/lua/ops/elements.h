// Conversion between Lua values and elements.
#pragma once

#include <lua.hpp>

#include "core/scalar.h"
#include "core/shape.h"

namespace lutra {

// The number at `index`, which must be one.
inline Scalar number_at(lua_State* L, int index) {
  return lua_isinteger(L, index) ? Scalar::of(static_cast<int64_t>(lua_tointeger(L, index)))
                                 : Scalar::of(static_cast<double>(lua_tonumber(L, index)));
}

void push_scalar(lua_State* L, const Scalar& value);

// Pushes the elements as nested tables, or the number of a scalar. `bytes` are on the host. May raise a Lua error.
void push_elements(lua_State* L, DType dtype, const Shape& shape, const std::byte* bytes);

}  // namespace lutra
