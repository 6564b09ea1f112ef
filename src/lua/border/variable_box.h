// A variable as Lua holds it. It begins with a Box, so that an op takes it wherever a tensor stands.
#pragma once

#include <span>

#include "eager/variable.h"
#include "lua/border/box.h"

namespace lutra {

class State;

// Its name is the userdata's first user value.
struct VariableBox {
  Box box;
  bool trainable;
  bool is_mirrored;  // what is done to it concerns its components too: hooks say how
};

// The variable at `index`; null for anything else.
inline VariableBox* to_variable(lua_State* L, int index) {
  Box* box = to_live_box(L, index);
  if (box == nullptr || lua_rawlen(L, index) != sizeof(VariableBox) || !is_variable(box->tensor)) return nullptr;
  return reinterpret_cast<VariableBox*>(box);
}

// How a variable's functions are called: as users do, when hooks may take their place (set_variable_hooks), or as those
// hooks do.
enum class Called : uint8_t { ByUser, ByHook };

// Adds to the table on top of the stack what hooks are made of: set_variable_hooks, raw_variable, raw_assign,
// raw_assign_part, raw_text, mark_mirrored and set_assign_noter.
void open_variable_hooks(lua_State* L, State& state);
// The variable at `index` is found by its identity from here on. May raise a Lua error unless one was before.
void know_variable(lua_State* L, int index);
// Pushes a list of the variables that have these identities (TensorRep::value), of those that are still there. May
// raise a Lua error.
void push_variables(lua_State* L, std::span<const uint64_t> identities);

}  // namespace lutra
