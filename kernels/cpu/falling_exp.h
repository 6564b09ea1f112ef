// e^x for x <= 0, which is what softmax and its kin take: the largest element has been taken off. The same bits as
// exp_of(x), with fewer steps; nan passes.
#pragma once

#include "kernels/cpu/elementary.h"

namespace lutra {

template <class T> [[gnu::always_inline]] inline T falling_exp(T x) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  // 2^n is made as 2^(n + kLift), which no n here leaves subnormal, times 2^-kLift, which rounds once.
  constexpr Bits kLift = F::kIsFloat ? 64 : 512;
  constexpr T kLower = F::kIsFloat ? T(0x1p-64) : T(0x1p-512);
  x = x < kExpLow<T> ? kExpLow<T> : x;
  T shifted = x * T(1.44269504088896340736) + F::kRounder, n = shifted - F::kRounder;
  T y = exp_near_one(x - n * kLn2High<T>, n * kLn2Low<T>);
  T lifted = std::bit_cast<T>((std::bit_cast<Bits>(shifted) + (F::kBias + kLift)) << F::kMantissa);
  return y * lifted * kLower;
}

}  // namespace lutra
