// A launch as bytes: LaunchHead, the attributes (OpDef::copy_attrs), then for each input and output an ArrayHead, its
// sizes, and for an immediate input its element in kMostElementBytes. Every part is a multiple of 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ops/kernel.h"

namespace lutra {

// Appends the launch to `out`.
void describe_launch(std::vector<std::byte>& out, const KernelEntry& kernel, const KernelArgs& args);

// A launch that was read. Its arguments point into it.
struct ReadLaunch {
  const KernelEntry* kernel = nullptr;
  KernelArgs args{};
  bool checks_values = false;  // a fault may come
  std::vector<Array> arrays;
  std::vector<uint64_t> attrs;  // aligned as the structs need it
};

// Where memory of the program's is here, of so many bytes; throws if it is nowhere.
using Translate = std::function<std::byte*(uint64_t at, std::size_t bytes)>;

// Reads it into `launch`, which points into `described` too. Throws (InvalidArgument) for what no program of this
// build sends.
void read_launch(std::span<const std::byte> described, const Translate& translate, ReadLaunch* launch);

}  // namespace lutra
