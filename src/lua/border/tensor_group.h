// What a tape is asked of: one tensor, a list of tensors, or a table of them by name. Answers come in the same form.
#pragma once

#include <string>

#include "lua/border/args.h"

namespace lutra {

struct TensorGroup {
  bool is_table = false;
  bool is_named = false;
  int count = 1;
  int names = 0;    // where the list of names stands on the stack, when there are any
  int tensors = 0;  // where the list of tensors stands: Lutra's own, so that no finalizer takes them away
};

// Fails unless a table at `index` is a list, or has names only.
void check_group(const Args& args, int index, const char* name, TensorGroup* group);

// Pushes the lists that `group` names. Those of another group's names, in their order, when `like` has any.
// May raise a Lua error.
void push_group(lua_State* L, State& state, int index, TensorGroup* group, const TensorGroup* like = nullptr);

// "sources", "sources[2]" or "sources.w": what entry i, from 1, is called in error texts.
std::string entry_name(lua_State* L, const TensorGroup& group, const char* name, int i);

// Pushes the key of entry i, from 1.
void push_key(lua_State* L, const TensorGroup& group, int i);

}  // namespace lutra
