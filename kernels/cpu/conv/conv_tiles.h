// Convolutions of float32 images by the loops of a matrix product, which read windows where they lie. The same bits for
// any number of threads.
#pragma once

#include "ops/conv.h"

namespace lutra {

// Whether to use conv_in_tiles: not where oneDNN is as fast, and not for few channels.
bool tiles_convolve(const ConvSizes& sizes);

// Computes y from x and w, in onednn_conv.h's layout. Uses threads by itself. False if there is no memory for it.
bool conv_in_tiles(const ConvSizes& sizes, const float* x, const float* w, float* y);

}  // namespace lutra
