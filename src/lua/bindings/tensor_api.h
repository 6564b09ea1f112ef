// A tensor's Lua interface besides ops: fields, indexing, printing, reading elements, release.
#pragma once

#include <lua.hpp>

#include "lua/border/args.h"
#include "lua/border/state.h"
#include "ops/slice.h"

namespace lutra {

// Fills the two tensor metatables and adds to the methods table on top of the stack.
void open_tensor_api(lua_State* L, State& state);

// Sets in the metatable on top of the stack what tensors and variables have in common: indexing, printing, comparing.
// `methods`: stack index of the methods table; `field`: a guarded binding for fields.
void set_tensor_metamethods(lua_State* L, State& state, int methods, const char* name, lua_CFunction field);
// Sets the __gc of tensors that hold a storage.
void set_collected(lua_State* L, State& state);
// t.field: shape, rank, size, nbytes, dtype, device.
int push_tensor_field(Args& args);

// The result of tostring, or (`bare`) the same without "lutra.Tensor(...)".
std::string tensor_as_text(State& state, const TensorRep& tensor, bool bare);

// The tensor at `index`, for item(). Fails unless it has exactly one element.
const TensorRep& one_element(Args& args, int index);

// Pushes t[key]. The running closure is __index, with the same upvalues as call_op.
int index_tensor(lua_State* L, State& state, const Box& box);

// Reads the indexing entries at `key`. Throws if they are wrong. False: an entry is an index tensor, a mask, a new axis
// or "...", and the key is to be read by read_advanced_index.
bool read_slice(lua_State* L, int key, SliceAttrs* attrs);

}  // namespace lutra
