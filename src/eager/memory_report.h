// The out-of-memory error: bytes requested, the device and its limit, bytes in use, the largest free block, the largest
// live tensors with the lines that made them, and what to do.
#pragma once

#include "eager/context.h"

namespace lutra {

Error out_of_memory(Context& context, LogicalDevice& device, std::size_t bytes, const Wanted& wanted);

}  // namespace lutra
