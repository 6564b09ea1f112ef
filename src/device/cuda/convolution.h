// A convolution, or one of its gradients, that a card is to compute, as a kernel asks for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/precision.h"

namespace lutra::cuda {

enum class ConvolutionKind : uint8_t {
  Forward,  // y
  Input,    // the gradient of x, of w and dy
  Filter,   // the gradient of w, of x and dy
};

// One spatial axis. Result `at` sees the places at * stride - before + tap * dilation for `taps` taps.
struct ConvolutionAxis {
  int64_t in = 0, out = 0, taps = 0, stride = 1, dilation = 1, before = 0;

  // Whether as much padding lies behind as before, which is how cuDNN counts it.
  constexpr bool is_even() const { return (in + 2 * before - ((taps - 1) * dilation + 1)) / stride + 1 == out; }
};

// x [batch, height, width, channels], w [out, height, width, channels / groups], y [batch, height, width, out], in
// addresses of 16 bytes; all are of one dtype, and none is empty.
struct Convolution {
  ConvolutionKind kind = ConvolutionKind::Forward;
  DType dtype = DType::Float32;
  MatmulPrecision precision = MatmulPrecision::Fp32;
  int64_t batch = 0, channels = 0, out = 0, groups = 1;
  ConvolutionAxis height, width;
  std::byte* x = nullptr;  // or its gradient; so w and y
  std::byte* w = nullptr;
  std::byte* y = nullptr;
  std::byte* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

}  // namespace lutra::cuda
