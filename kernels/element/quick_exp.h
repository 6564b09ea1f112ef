// exp of float32 in even fewer steps than plain_exp, for blocks of moderate numbers only; the same bits. The power of
// two is one integer addition, and one instruction per register checks that all numbers are in range.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/element/elementary.h"

namespace lutra {

// Valid from -55 to 32, where n + kQuickShift lies within [0, kQuickPowers).
inline constexpr int kQuickShift = 80;
inline constexpr uint32_t kQuickPowers = 128;

// e^x = 2^n e^r. e^r is scaled by 2^-80, which is exact, because the shifted quotient holds n + 80. `misfits` collects
// the bits in which quotients differ from that of the least n: it stays below kQuickPowers unless some x was out of
// range or nan.
[[gnu::always_inline]] constexpr float quick_exp(float x, uint32_t& misfits) {
  using F = FloatForm<float>;
  constexpr float kRounder = F::kRounder + kQuickShift, kUnit = 0x1p-80f;
  float shifted = muladd(x, 1.44269504088896340736f, kRounder);
  misfits |= std::bit_cast<uint32_t>(shifted) ^ std::bit_cast<uint32_t>(F::kRounder);
  float r = exp_remainder(x, shifted - kRounder, 0.0f);
  float y = muladd(muladd(exp_polynomial(r, kUnit), r, kUnit), r, kUnit);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(y) + (std::bit_cast<uint32_t>(shifted) << F::kMantissa));
}

}  // namespace lutra
