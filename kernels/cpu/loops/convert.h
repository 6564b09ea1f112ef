// core/convert.h's rules in loops that vectorise, compiled for each level of the processor.
#pragma once

#include "core/dtype.h"

namespace lutra {

// dst and src do not overlap.
void convert_elements(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count);

}  // namespace lutra
