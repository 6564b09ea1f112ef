// Moves a tensor to another device on request: t:to(device), a variable's first value. Ops fetch inputs by Transfer.
#pragma once

#include "eager/context.h"

namespace lutra {

// Sets *out to the tensor on `to`; if it is there already, out shares its memory. Returns whether bytes were copied.
// Tapes record an Identity.
bool move_tensor(Context& context, const TensorRep& tensor, LogicalDevice& to, TensorRep* out);

// Gives a tensor of `device` the storage's bytes, and takes over the reference. On a CPU, at most 64 bytes are stored
// inline.
void set_storage(TensorRep& tensor, Storage* storage, const LogicalDevice& device);

// The placement log's event for a copy.
CopyEvent copy_event(Context& context, uint16_t from, const TensorRep& tensor, const LogicalDevice& to);

}  // namespace lutra
