// x log(y) of two elements, for xlogy.cpp and kernels/cuda.
#pragma once

#include "kernels/element/element.h"
#include "kernels/element/elementary.h"

namespace lutra {

struct Xlogy {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x, T y) {
    T product = x * log_of(y);
    return x == 0 ? T(0) : product;
  }
};

}  // namespace lutra
