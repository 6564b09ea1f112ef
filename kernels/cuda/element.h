// Loads and stores one element for arithmetic: halves are computed in float, which cards convert in one instruction.
#pragma once

#include "core/dtype.h"
#include "kernels/cuda/device.h"

#ifdef __CUDA_ARCH__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace lutra::cuda {

template <class T> LUTRA_DEVICE inline ComputeType<T> computed_in(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, Float16>) return __half2float(__ushort_as_half(x.bits));
  else if constexpr (std::is_same_v<T, BFloat16>) return __uint_as_float(static_cast<uint32_t>(x.bits) << 16);
  else return x;
#else
  return static_cast<ComputeType<T>>(x);
#endif
}

template <class R, class C> LUTRA_DEVICE inline R rounded_to(C x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<R, Float16> && std::is_same_v<C, float>) {
    Float16 half;
    half.bits = __half_as_ushort(__float2half_rn(x));
    return half;
  } else if constexpr (std::is_same_v<R, BFloat16> && std::is_same_v<C, float>) {
    BFloat16 half;
    half.bits = __bfloat16_as_ushort(__float2bfloat16_rn(x));
    return half;
  } else {
    return static_cast<R>(x);
  }
#else
  return static_cast<R>(x);
#endif
}

}  // namespace lutra::cuda
