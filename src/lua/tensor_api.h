// What a tensor can do in Lua beside ops: fields, indexing, printing, reading its elements, being released.
#pragma once

#include <lua.hpp>

#include "lua/state.h"

namespace lutra {

// Fills the two tensor metatables and adds to the methods table on top of the stack.
void open_tensor_api(lua_State* L, State& state);

// The tensor's text as tostring gives it, with or without "lutra.Tensor(...)".
std::string tensor_as_text(State& state, const TensorRep& tensor, bool bare);

// t[key]: the running closure is __index, its upvalues as call_op's. Pushes the result.
int index_tensor(lua_State* L, State& state, const Box& box);

}  // namespace lutra
