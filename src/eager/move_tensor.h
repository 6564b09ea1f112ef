// A tensor on another device, by hand: t:to(device), and a variable's first value. Copies that an op needs are its own.
#pragma once

#include "eager/context.h"

namespace lutra {

// The tensor on `to`; itself (shared) where it is there already. Whether bytes were copied for that. Tapes see an
// Identity.
bool move_tensor(Context& context, const TensorRep& tensor, LogicalDevice& to, TensorRep* out);

// Gives a tensor of `device` its bytes, and takes over the reference. At most 64 of them on a CPU become the tensor's
// own.
void set_storage(TensorRep& tensor, Storage* storage, const LogicalDevice& device);

// The placement log's event for a copy.
CopyEvent copy_event(Context& context, uint16_t from, const TensorRep& tensor, const LogicalDevice& to);

}  // namespace lutra
