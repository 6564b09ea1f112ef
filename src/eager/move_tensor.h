// A tensor on another device, by hand: t:to(device), and a variable's first value. Copies that an op needs are its own.
#pragma once

#include "eager/context.h"

namespace lutra {

// The tensor on `to`; itself (shared) where it is there already. Whether bytes were copied for that. Tapes see an
// Identity.
bool move_tensor(Context& context, const TensorRep& tensor, LogicalDevice& to, TensorRep* out);

// What the placement log is told of such a copy.
CopyEvent copy_event(Context& context, uint16_t from, const TensorRep& tensor, const LogicalDevice& to);

}  // namespace lutra
