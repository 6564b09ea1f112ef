// Option values from Lua into an op's attribute struct.
#pragma once

#include <lua.hpp>

#include "ops/op.h"

namespace lutra {

// Reads the value at `index` into its place in `call`. Fails naming op and option. Lua calls in here cannot raise.
void read_attr(lua_State* L, int index, const AttrDef& def, Call* call);

// Reads the options table at `index`; an option nobody knows is an error that suggests the nearest one, and so is one
// that was given among the arguments: `in_place` has a bit for each attribute that was.
void read_options(lua_State* L, int index, uint32_t in_place, Call* call);

// Whether the attribute is an option of the user's, and not filled in by Lutra.
inline bool is_users(const AttrDef& def) {
  return def.type != AttrType::Rng && def.type != AttrType::IndexBase && def.type != AttrType::Part;
}

// Whether it may stand in the options table: not where it must stand in its place, nor a list of any length, which is
// read there only.
inline bool is_option(const AttrDef& def) {
  bool has_place = def.is_before_inputs || (def.is_positional && def.is_required) || def.type == AttrType::Ints;
  return is_users(def) && !has_place;
}

// Whether the table at `index` is one of options: it has a string key, or nothing in it.
bool is_options(lua_State* L, int index);

}  // namespace lutra
