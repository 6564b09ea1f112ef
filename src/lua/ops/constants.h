// Tensors made from a script's values: tables, numbers, booleans, strings of bytes. All such tensors are created here;
// literal.h reads the tables.
#pragma once

#include <lua.hpp>

#include "lua/border/state.h"
#include "lua/ops/literal.h"

namespace lutra {

// An input that takes integers but no floats also takes floats with integral values, as integers.
constexpr bool takes_whole_numbers(DTypes dtypes) { return (dtypes & kFloats).empty() && !(dtypes & kInts).empty(); }

// Replaces the table, number or boolean at `index` by a tensor of its elements, placed as an _EagerConst. `dtype` may
// be kNoDType for the literal's own; `accepted` are the dtypes that its user takes (see takes_whole_numbers). On an
// error keeps it in the State and returns false. May raise a Lua error. For an op's call `is_logged` is false: then the
// op logs the constant when it runs (Call::literals).
bool make_constant(lua_State* L, State& state, int index, const ArgumentName& name, DType dtype, bool is_logged = true,
                   DTypes accepted = kAnyDType);

}  // namespace lutra
