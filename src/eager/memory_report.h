// The out-of-memory error: bytes requested, the device and its limit, bytes in use, the largest free block, the largest
// live tensors with the lines that made them, and what to do.
#pragma once

#include <string>
#include <vector>

#include "eager/context.h"

namespace lutra {

Error out_of_memory(Context& context, LogicalDevice& device, std::size_t bytes, const Wanted& wanted);

// A storage of some device, with the tensor that it was made for.
struct LiveTensor {
  Shape shape;
  DType dtype = DType::Float32;
  bool is_known = false;  // shape and dtype; not if a slice, a copy or an op in progress holds it
  std::string device;     // full name
  int64_t bytes = 0;
  std::string op, line;  // that made it; "" if not known
};

// The largest live tensors of a device (null: of all), at most so many, largest first. CPU tensors of at most 64 bytes
// have no storage. Logical CPUs share their memory.
std::vector<LiveTensor> live_tensors(Context& context, const LogicalDevice* device, std::size_t most);

// A line for each of the largest live tensors that the device holds, largest first: "4.0 MB  (1024, 1024) float32  made
// by Fill at train.lua:2". Logical CPUs share their memory.
std::vector<std::string> largest_tensors(Context& context, const LogicalDevice& device);

}  // namespace lutra
