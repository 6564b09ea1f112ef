// A variable as Lua holds it. It begins with a Box, so that ops take it like a tensor.
#pragma once

#include <span>

#include "eager/variable.h"
#include "lua/border/box.h"

namespace lutra {

class State;

// The variable's name is the userdata's first user value.
struct VariableBox {
  Box box;
  bool trainable;
  bool is_mirrored;  // its operations also concern its components; hooks implement them
};

// The variable at `index`; null for anything else.
inline VariableBox* to_variable(lua_State* L, int index) {
  Box* box = to_live_box(L, index);
  if (box == nullptr || lua_rawlen(L, index) != sizeof(VariableBox) || !is_variable(box->tensor)) return nullptr;
  return reinterpret_cast<VariableBox*>(box);
}

// Who calls a variable's function: users, whose calls hooks may replace (set_variable_hooks), or those hooks.
enum class Called : uint8_t { ByUser, ByHook };

// Adds the functions for hooks to the table on top of the stack: set_variable_hooks, raw_variable, raw_assign,
// raw_assign_part, raw_text, mark_mirrored and set_assign_noter.
void open_variable_hooks(lua_State* L, State& state);
// From here on the variable at `index` can be found by its identity. May raise a Lua error, except if it is known
// already.
void know_variable(lua_State* L, int index);
// Pushes a list of all variables. May raise a Lua error.
void push_all_variables(lua_State* L);
// Whether a function is called with each variable before it is assigned (set_assign_noter).
bool notes_assignments(lua_State* L);
// Pushes a list of the variables with these identities (TensorRep::value), without those that have been collected. May
// raise a Lua error.
void push_variables(lua_State* L, std::span<const uint64_t> identities);

}  // namespace lutra
