// oneDNN's convolutions of float32 images, channels last (NHWC), with weights {height, width, in, out}.
#pragma once

#include <cstddef>

#include "ops/conv.h"

namespace lutra {

enum class ConvPart : uint8_t { Output, Input, Filter };

// The scratch memory that onednn_conv needs; 0 if oneDNN has no such convolution.
std::size_t onednn_conv_bytes(ConvPart part, const ConvSizes& sizes);

// Computes one of y, dx and dw from the other two. False if oneDNN has no such convolution or no memory for it; the
// result is then meaningless. Uses threads by itself, with the same bits for any number of them.
bool onednn_conv(ConvPart part, const ConvSizes& sizes, const float* first, const float* second, float* result,
                 std::byte* scratch);

}  // namespace lutra
