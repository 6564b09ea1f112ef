// Option values from Lua into an op's attribute struct.
#pragma once

#include <lua.hpp>

#include "ops/op.h"

namespace lutra {

// Reads the value at `index` into the attributes of `call`. Errors name op and option. Its Lua calls cannot raise.
void read_attr(lua_State* L, int index, const AttrDef& def, Call* call);

// Reads the options table at `index`. An unknown option is an error, which suggests the nearest one. So is an option
// that was also given by position: `in_place` has a bit for each such attribute.
void read_options(lua_State* L, int index, uint32_t in_place, Call* call);

// Whether users give the attribute; false if Lutra fills it in.
inline bool is_users(const AttrDef& def) {
  return def.type != AttrType::Rng && def.type != AttrType::IndexBase && def.type != AttrType::Part;
}

// Whether it may be given in the options table. Not if it must be given by position, nor if it may be a list of any
// length, which is only read by position.
inline bool is_option(const AttrDef& def) {
  bool has_place = def.is_before_inputs || (def.is_positional && def.is_required) || def.type == AttrType::Ints;
  return is_users(def) && !has_place;
}

// Whether the table at `index` is an options table: it has a string key, or is empty.
bool is_options(lua_State* L, int index);

}  // namespace lutra
