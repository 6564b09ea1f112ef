// Targets and sources of a tape: one tensor, a list of tensors, or a table of them by name. Results have the same form.
#pragma once

#include <string>

#include "lua/border/args.h"

namespace lutra {

struct TensorGroup {
  bool is_table = false;
  bool is_named = false;
  int count = 1;
  int names = 0;    // stack index of the list of names, if there are any
  int tensors = 0;  // stack index of the list of tensors: Lutra's own list, so that no finalizer can change it
};

// Fails if the value at `index` is a table that is not a list and does not have only names.
void check_group(const Args& args, int index, const char* name, TensorGroup* group);

// Pushes the lists of names and tensors of `group`. If `like` has names, uses these, in their order. May raise a Lua
// error.
void push_group(lua_State* L, State& state, int index, TensorGroup* group, const TensorGroup* like = nullptr);

// The name of entry i, from 1, in error texts: "sources", "sources[2]" or "sources.w".
std::string entry_name(lua_State* L, const TensorGroup& group, const char* name, int i);

// Pushes the key of entry i, from 1.
void push_key(lua_State* L, const TensorGroup& group, int i);

}  // namespace lutra
