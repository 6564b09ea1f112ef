// Checks of images and windows, for conv.cpp and pool.cpp. Errors name the op, the argument and what was expected.
#pragma once

#include "ops/conv.h"
#include "ops/inference.h"

namespace lutra {

void require_image(const Inference& inference, int input, const char* wanted);  // four axes
void require_window(const Inference& inference, const char* option, const Pair& pair, int64_t least);
void require_padding(const Inference& inference, const Padding& padding);
// Throws if the window, called `window` in the error, is larger than the padded image.
void require_fit(const Inference& inference, const char* window, const WindowAxis& height, const WindowAxis& width);

}  // namespace lutra
