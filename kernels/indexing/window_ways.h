// The direction of a convolution: from results to the sources in their windows, or back.
#pragma once

#include "ops/conv.h"

namespace lutra {

// From a result at `at` to the source position that each tap reads, or -1 if it is outside.
struct Forward {
  static constexpr int64_t results(const WindowAxis& axis) { return axis.out; }
  static constexpr int64_t sources(const WindowAxis& axis) { return axis.in; }
  static constexpr int64_t source(const WindowAxis& axis, int64_t at, int64_t tap) {
    int64_t place = at * axis.stride - axis.before + tap * axis.dilation;
    return place >= 0 && place < axis.in ? place : -1;
  }
};
// From a position of x back to the results whose windows contain it.
struct Backward {
  static constexpr int64_t results(const WindowAxis& axis) { return axis.in; }
  static constexpr int64_t sources(const WindowAxis& axis) { return axis.out; }
  static constexpr int64_t source(const WindowAxis& axis, int64_t at, int64_t tap) {
    int64_t moved = at + axis.before - tap * axis.dilation;
    return moved >= 0 && moved % axis.stride == 0 && moved / axis.stride < axis.out ? moved / axis.stride : -1;
  }
};

}  // namespace lutra
