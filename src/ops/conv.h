// Attributes of convolution and pooling, and how a window moves over an image. Shared by shape functions, kernels and
// costs.
#pragma once

#include <algorithm>

#include "ops/attrs.h"

namespace lutra {

struct ConvAttrs {
  Pair stride;
  Padding padding;
  Pair dilation;
  int64_t groups = 1;
  Pair output_size;  // of a transposed convolution: height and width of its result
  Dims result;       // of gradient ops: the shape of their result
  bool operator==(const ConvAttrs&) const = default;
};
struct PoolAttrs {
  Pair size;
  Pair stride;  // not given: size
  Padding padding;
  Dims result;  // as above
  bool operator==(const PoolAttrs&) const = default;
};

// The upper limit of sizes, strides and paddings, so that sums and products of two fit in an int64_t.
inline constexpr int64_t kMostWindow = (int64_t{1} << 31) - 1;

// One spatial axis. Result `at` reads the positions at * stride - before + tap * dilation for taps [0, size); those
// outside [0, in) are padding. out < 0: the window does not fit.
struct WindowAxis {
  int64_t in, size, stride, dilation, before, out;

  WindowAxis(int64_t in_size, int64_t window, int64_t step, int64_t spread, const Padding& padding, int axis)
      : in(in_size), size(window), stride(step), dilation(spread), before(0), out(-1) {
    int64_t reach = (size - 1) * dilation + 1;
    if (padding.kind == Padding::Kind::Same) {
      out = in / stride + (in % stride != 0);
      before = out == 0 ? 0 : std::max<int64_t>(0, (out - 1) * stride + reach - in) / 2;
    } else {
      if (padding.kind == Padding::Kind::Given) before = padding.v[axis];
      if (in + 2 * before >= reach) out = (in + 2 * before - reach) / stride + 1;
    }
  }
  // The positions that result `at` reads, without padding. For windows without dilation.
  constexpr int64_t first_place(int64_t at) const { return std::max<int64_t>(0, at * stride - before); }
  constexpr int64_t last_place(int64_t at) const { return std::min(in, at * stride - before + size); }  // one past it
  // The results that read position `place`; last_result is one past them. For windows without dilation.
  constexpr int64_t first_result(int64_t place) const {
    int64_t low = place + before - size + 1;
    return low <= 0 ? 0 : (low + stride - 1) / stride;
  }
  constexpr int64_t last_result(int64_t place) const { return std::min(out, (place + before) / stride + 1); }
};

// x [batch, height, width, channels], w [height, width, channels / groups, out], y [batch, height, width, out].
struct ConvSizes {
  int64_t batch, channels, out, groups;
  WindowAxis height, width;

  ConvSizes(const ConvAttrs& attrs, const int64_t* x, const int64_t* w)
      : batch(x[0]),
        channels(x[3]),
        out(w[3]),
        groups(attrs.groups),
        height(x[1], w[0], attrs.stride.v[0], attrs.dilation.v[0], attrs.padding, 0),
        width(x[2], w[1], attrs.stride.v[1], attrs.dilation.v[1], attrs.padding, 1) {}

  constexpr int64_t taps() const { return height.size * width.size; }
  constexpr int64_t group_in() const { return channels / groups; }
  constexpr int64_t group_out() const { return out / groups; }
  constexpr int64_t results() const { return batch * height.out * width.out; }  // rows of `out` numbers
  double multiplications() const {
    return static_cast<double>(results()) * static_cast<double>(out) * static_cast<double>(taps()) *
           static_cast<double>(group_in());
  }
};

struct PoolSizes {
  int64_t batch, channels;
  WindowAxis height, width;

  PoolSizes(const PoolAttrs& attrs, const int64_t* x)
      : batch(x[0]),
        channels(x[3]),
        height(x[1], attrs.size.v[0], stride(attrs, 0), 1, attrs.padding, 0),
        width(x[2], attrs.size.v[1], stride(attrs, 1), 1, attrs.padding, 1) {}

 private:
  static int64_t stride(const PoolAttrs& attrs, int axis) {
    return attrs.stride.given ? attrs.stride.v[axis] : attrs.size.v[axis];
  }
};

}  // namespace lutra
