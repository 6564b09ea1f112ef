// Convolution of each channel with its own window, and its gradient of the weights, for float32 images. The same bits
// for any number of threads.
#pragma once

#include "kernels/cpu/conv/onednn_conv.h"
#include "ops/conv.h"

namespace lutra {

// Whether to use `depthwise`: if groups, result channels and channels are equally many, and oneDNN is slower. Never for
// Input.
bool depthwise_pays(ConvPart part, const ConvSizes& sizes);

// Computes y from x and w, or dw from x and dy.
void depthwise(ConvPart part, const ConvSizes& sizes, const float* x, const float* second, float* result);

}  // namespace lutra
