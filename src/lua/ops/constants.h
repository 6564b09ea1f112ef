// Tensors made of a script's values: tables, numbers, booleans, strings of bytes. The one place where such a tensor is
// created; reading tables is literal.h.
#pragma once

#include <lua.hpp>

#include "lua/ops/literal.h"
#include "lua/border/state.h"

namespace lutra {

// What takes integers and no floats takes whole floats too, as the integers they stand for.
constexpr bool takes_whole_numbers(DTypes dtypes) { return (dtypes & kFloats).empty() && !(dtypes & kInts).empty(); }

// Replaces the table, number or boolean at `index` by a tensor of its elements, placed as an _EagerConst. `dtype` is
// kNoDType for the literal's own; `accepted` is what it is for (takes_whole_numbers). On a mistake keeps the Error in
// the State and returns false. May raise a Lua error. Of one for an op's call, which `is_logged` denies, the op tells
// when it goes ahead (Call::literals).
bool make_constant(lua_State* L, State& state, int index, const ArgumentName& name, DType dtype, bool is_logged = true,
                   DTypes accepted = kAnyDType);

}  // namespace lutra
