// Tensors from Lua values and Lua values from tensors.
#pragma once

#include <lua.hpp>

#include "core/dtype.h"
#include "lua/state.h"

namespace lutra {

// Replaces the table, number or boolean at `index` by a tensor of its elements, placed as an _EagerConst. `dtype` is
// kNoDType for the literal's own. On a mistake keeps the Error in the State and returns false. May raise a Lua error.
bool make_constant(lua_State* L, State& state, int index, const char* who, DType dtype);

// Pushes the elements as nested tables, or the number of a scalar. `bytes` are on the host. May raise a Lua error.
void push_elements(lua_State* L, DType dtype, const Shape& shape, const std::byte* bytes);
void push_scalar(lua_State* L, const Scalar& value);

// Pushes the shape as a table that prints and compares as one. May raise a Lua error.
void push_shape(lua_State* L, State& state, const Shape& shape);

}  // namespace lutra
