// The out-of-memory error: bytes asked for, the device and its limit, what is in use, the largest free piece, the
// largest live tensors with the lines that made them, and what to do.
#pragma once

#include "eager/context.h"

namespace lutra {

Error out_of_memory(Context& context, LogicalDevice& device, std::size_t bytes, const Wanted& wanted);

}  // namespace lutra
