// The gated linear unit of two elements, for glu.cpp and kernels/cuda.
#pragma once

#include "kernels/element/activations.h"

namespace lutra {

struct Glu {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static constexpr T apply(T a, T b) { return a * Sigmoid::apply(b); }
};

}  // namespace lutra
