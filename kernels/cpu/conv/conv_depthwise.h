// Convolution of each channel by a window of its own, and its gradient by the weights, of float32 images. The same bits
// for any number of threads.
#pragma once

#include "kernels/cpu/conv/onednn_conv.h"
#include "ops/conv.h"

namespace lutra {

// Whether `depthwise` is what to compute these with: as many groups and results as channels, and oneDNN is slower.
// Never for Input.
bool depthwise_pays(ConvPart part, const ConvSizes& sizes);

// y of x and w, or dw of x and dy.
void depthwise(ConvPart part, const ConvSizes& sizes, const float* x, const float* second, float* result);

}  // namespace lutra
