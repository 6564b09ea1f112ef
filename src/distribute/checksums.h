// Numbers that differ where the bits of tensors do, so that ranks can compare weights without sending them.
#pragma once

#include <span>
#include <vector>

#include "eager/context.h"

namespace lutra {

// One for each tensor, of its elements' bytes. Tensors on other devices are copied to the host for it, one by one.
std::vector<uint64_t> checksums_of(Context& context, std::span<const TensorRep* const> tensors);

}  // namespace lutra
