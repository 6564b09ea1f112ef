// Attributes of the Fourier transforms, and the sizes that their kernels read.
#pragma once

#include <string_view>

#include "ops/attrs.h"

namespace lutra {

struct FftAttrs {
  Number n;
  Axes axis;
  Text norm;
};

// Along one axis, lines of `given` points are transformed as `n` points: cut, or continued by zeros.
struct FftSizes {
  int axis;
  int64_t outer, given, inner;
  int64_t n;
};

// By which results are multiplied: norm is "backward" (or empty), "ortho" or "forward".
double fft_scale(std::string_view norm, bool is_inverse, int64_t n);

}  // namespace lutra
