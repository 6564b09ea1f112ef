// t[{...}] with index tensors, lists of indices, masks, new axes or "..." among the entries: as Lua writes them.
#pragma once

#include <lua.hpp>

#include "lua/border/state.h"
#include "ops/advanced_index.h"
#include "ops/op.h"

namespace lutra {

// What begins the errors of t[...] and v[...] = value.
inline constexpr char kIndexing[] = "index";

// An index as read: trivially destructible, as a Lua error may jump over it. Its tensors are on Lua's stack.
struct AdvancedIndex {
  AdvancedIndexAttrs attrs;
  Operand tensors[kMaxRank];  // index tensors; of masks, the positions of their true elements
  int count = 0;
};

// Reads the entries at `key` for a tensor of the shape `t`: a list, or one entry alone. Pushes tensors onto the stack.
// May raise a Lua error. `who` begins error texts. The running closure's upvalues are call_op's.
void read_advanced_index(lua_State* L, State& state, const char* who, int key, const Shape& t, AdvancedIndex* out);

// Pushes t[key] for such a key at 2. The running closure is __index.
int index_advanced(lua_State* L, State& state, const Box& box);

// Whether the value on top of the stack is a number or a range, and no index tensor, list of indices, mask or word.
bool is_basic_entry(lua_State* L);
// Reads such an entry, the entry-th of the list, as that of an axis. Throws if it is wrong; false for any other entry.
bool read_basic_entry(lua_State* L, const char* who, int entry, int axis, SliceAttrs* attrs);

}  // namespace lutra
