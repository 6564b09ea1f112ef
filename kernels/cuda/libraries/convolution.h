// A convolution, or one of its gradients, for a card to compute.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/precision.h"

namespace lutra::cuda {

enum class ConvolutionKind : uint8_t {
  Forward,  // y
  Input,    // the gradient of x, from w and dy
  Filter,   // the gradient of w, from x and dy
};

// One spatial axis. Output `at` reads the inputs at * stride - before + tap * dilation, for `taps` taps.
struct ConvolutionAxis {
  int64_t in = 0, out = 0, taps = 0, stride = 1, dilation = 1, before = 0;

  // Whether the padding is the same on both sides, which is the only padding that cuDNN supports.
  constexpr bool is_even() const { return (in + 2 * before - ((taps - 1) * dilation + 1)) / stride + 1 == out; }
};

// x [batch, height, width, channels], w [out, height, width, channels / groups], y [batch, height, width, out], at
// addresses that are multiples of 16 bytes. All have one dtype, and none is empty.
struct Convolution {
  ConvolutionKind kind = ConvolutionKind::Forward;
  DType dtype = DType::Float32;
  MatmulPrecision precision = MatmulPrecision::Fp32;
  int64_t batch = 0, channels = 0, out = 0, groups = 1;
  ConvolutionAxis height, width;
  std::byte* x = nullptr;  // or its gradient; likewise w and y
  std::byte* w = nullptr;
  std::byte* y = nullptr;
  std::byte* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

}  // namespace lutra::cuda
