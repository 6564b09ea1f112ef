// A list of tensors, some of which may be missing, as the result of a function that is not an op. Its boxes are made
// before the function runs (see Note [The Lua border] in error_bridge.cpp).
#pragma once

#include <optional>

#include "lua/border/state.h"

namespace lutra {

// Phase create: pushes a list of `count` empty tensors and returns its stack index. May raise a Lua error.
int push_results(lua_State* L, State& state, int count);
// Phase run: moves the tensor, if there is one, into result i, from 1.
void set_result(lua_State* L, int results, int i, std::optional<Tensor>* tensor);
// Phase tell: registers each tensor with its box, and replaces missing ones by false. Small tensors lose their
// finalizer.
void hand_over(lua_State* L, State& state, int results, int count);

}  // namespace lutra
