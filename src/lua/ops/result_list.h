// A list of tensors, some of which may not be there, as the result of a function that is no op. Its boxes are made
// before the function runs (see Note [The Lua border] in error_bridge.cpp).
#pragma once

#include <optional>

#include "lua/border/state.h"

namespace lutra {

// Create: pushes a list of `count` empty tensors. Returns where it stands. May raise a Lua error.
int push_results(lua_State* L, State& state, int count);
// Run: result i, from 1, takes the tensor, if there is one.
void set_result(lua_State* L, int results, int i, std::optional<Tensor>* tensor);
// After it: each tensor belongs to its box; false stands where there is none. Those that turned out to be small lose
// their finalizer.
void hand_over(lua_State* L, State& state, int results, int count);

}  // namespace lutra
