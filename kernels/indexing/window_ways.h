// Which way a convolution looks: from results to what their windows see, or back.
#pragma once

#include "ops/conv.h"

namespace lutra {

// Where a window looks from a place: which place of the source each tap shows, or -1 for none.
struct Forward {
  static constexpr int64_t results(const WindowAxis& axis) { return axis.out; }
  static constexpr int64_t sources(const WindowAxis& axis) { return axis.in; }
  static constexpr int64_t source(const WindowAxis& axis, int64_t at, int64_t tap) {
    int64_t place = at * axis.stride - axis.before + tap * axis.dilation;
    return place >= 0 && place < axis.in ? place : -1;
  }
};
// From x back to the results that saw it.
struct Backward {
  static constexpr int64_t results(const WindowAxis& axis) { return axis.in; }
  static constexpr int64_t sources(const WindowAxis& axis) { return axis.out; }
  static constexpr int64_t source(const WindowAxis& axis, int64_t at, int64_t tap) {
    int64_t moved = at + axis.before - tap * axis.dilation;
    return moved >= 0 && moved % axis.stride == 0 && moved / axis.stride < axis.out ? moved / axis.stride : -1;
  }
};

}  // namespace lutra
