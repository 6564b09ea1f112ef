// What a tensor can do in Lua beside ops: fields, indexing, printing, reading its elements, being released.
#pragma once

#include <lua.hpp>

#include "lua/border/args.h"
#include "lua/border/state.h"
#include "ops/slice.h"

namespace lutra {

// Fills the two tensor metatables and adds to the methods table on top of the stack.
void open_tensor_api(lua_State* L, State& state);

// What tensors and variables have in common, set in the metatable on top of the stack: indexing, printing, comparing.
// `methods`: where the methods table lies; `field`: a guarded binding for fields.
void set_tensor_metamethods(lua_State* L, State& state, int methods, const char* name, lua_CFunction field);
// __gc of what holds a storage.
void set_collected(lua_State* L, State& state);
// t.field: shape, rank, size, nbytes, dtype, device.
int push_tensor_field(Args& args);

// The tensor's text as tostring gives it, with or without "lutra.Tensor(...)".
std::string tensor_as_text(State& state, const TensorRep& tensor, bool bare);

// The tensor at `index`, as item() wants it. Fails when it has not one element.
const TensorRep& one_element(Args& args, int index);

// t[key]: the running closure is __index, its upvalues as call_op's. Pushes the result.
int index_tensor(lua_State* L, State& state, const Box& box);

// The indexing entries at `key`. Throws what is wrong with them.
void read_slice(lua_State* L, int key, SliceAttrs* attrs);

}  // namespace lutra
