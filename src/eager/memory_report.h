// The out-of-memory error: bytes requested, the device and its limit, bytes in use, the largest free block, the largest
// live tensors with the lines that made them, and what to do.
#pragma once

#include <string>
#include <vector>

#include "eager/context.h"

namespace lutra {

Error out_of_memory(Context& context, LogicalDevice& device, std::size_t bytes, const Wanted& wanted);

// A line for each of the largest live tensors that the device holds, largest first: "4.0 MB  (1024, 1024) float32  made
// by Fill at train.lua:2". Logical CPUs share their memory.
std::vector<std::string> largest_tensors(Context& context, const LogicalDevice& device);

}  // namespace lutra
