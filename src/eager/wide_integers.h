// Integers that become floats: whether float32 holds them, or the op is better computed in float64.
#pragma once

#include "ops/op.h"

namespace lutra {

class Context;

// Whether integers alone, or beside Lua numbers, become floats, among them some that float32 does not hold. What lies
// on a GPU is not looked at: int32 and int64 count as such there.
bool has_wide_integers(Context& context, const Call& call);

}  // namespace lutra
