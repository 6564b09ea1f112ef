// Convolutions of float32 images by the loops of a product of matrices, reading windows where they lie. The same bits
// for any number of threads.
#pragma once

#include "ops/conv.h"

namespace lutra {

// Whether conv_in_tiles is what to compute these with: not where oneDNN is as fast, nor with few channels.
bool tiles_convolve(const ConvSizes& sizes);

// y of x and w, as onednn_conv.h has them. Uses threads by itself. False: there is no memory for it.
bool conv_in_tiles(const ConvSizes& sizes, const float* x, const float* w, float* y);

}  // namespace lutra
