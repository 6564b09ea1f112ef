// Numbers from blocks of random bits: random.cpp makes them in batches, kernels/cuda block by block.
#pragma once

#include <cmath>
#include <limits>

#include "core/dtype.h"
#include "kernels/element/random_math.h"
#include "ops/attrs.h"

namespace lutra {

// C is the type numbers are computed in: float for halves.
template <class C> inline constexpr int kPerBlock = sizeof(C) == 4 ? 4 : 2;

// The numbers of one block: normally distributed, or in [0, 1).
constexpr void normals(const PhiloxBlock& block, float* z) {
  NormalPair<float> a = normal_pair(block.word[0], block.word[1]), b = normal_pair(block.word[2], block.word[3]);
  z[0] = a.first;
  z[1] = a.second;
  z[2] = b.first;
  z[3] = b.second;
}
constexpr void normals(const PhiloxBlock& block, double* z) {
  NormalPair<double> pair = normal_pair(block.word);
  z[0] = pair.first;
  z[1] = pair.second;
}
constexpr void units(const PhiloxBlock& block, float* u) {
  for (int w = 0; w < 4; ++w) u[w] = unit_float(block.word[w]);
}
constexpr void units(const PhiloxBlock& block, double* u) {
  u[0] = unit_double(block.word[0], block.word[1]);
  u[1] = unit_double(block.word[2], block.word[3]);
}

// The first number within [-2, 2] at the same position in the block's other planes.
template <class C> constexpr C drawn_again(uint64_t key, uint64_t block, int64_t place) {
  for (uint32_t plane = 1; plane < 64; ++plane) {
    PhiloxBlock bits = philox_block(key, block, plane);
    NormalPair<C> pair;
    if constexpr (sizeof(C) == 4) pair = normal_pair(bits.word[place / 2 * 2], bits.word[place / 2 * 2 + 1]);
    else pair = normal_pair(bits.word);
    C z = place % 2 == 0 ? pair.first : pair.second;
    if (std::fabs(z) <= 2) return z;
  }
  return 0;  // once in 10^84
}

// The next number of T upwards or downwards.
template <class T> T neighbour(T value, bool up) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(value, up ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
  } else {
    float as_float = value;
    if (as_float == 0) value.bits = up ? 0x0001 : 0x8001;
    else value.bits = static_cast<uint16_t>((as_float > 0) == up ? value.bits + 1 : value.bits - 1);
    return value;
  }
}

// minval and maxval, which are doubles, in T: the smallest and the largest number to draw.
template <class T> struct Uniform {
  using C = ComputeType<T>;
  C low, span, top;

  Uniform(double minval, double maxval) {
    T first = static_cast<T>(static_cast<C>(minval)), last = static_cast<T>(static_cast<C>(maxval));
    if (static_cast<double>(first) < minval) first = neighbour(first, true);
    if (static_cast<double>(last) >= maxval) last = neighbour(last, false);
    low = static_cast<C>(first);
    top = static_cast<C>(last);
    span = static_cast<C>(maxval - minval);
    if (low > top) {
      // No number of T lies between them.
      low = top = static_cast<C>(static_cast<T>(static_cast<C>(minval)));
      span = 0;
    }
  }
  constexpr T at(C unit) const {
    T value = static_cast<T>(low + unit * span);
    return static_cast<C>(value) < top ? value : static_cast<T>(top);
  }
};

// A number below `range`, all equally likely (Lemire 2019): nearly always the upper half of bits * range. Where that
// would favour some numbers, other bits are drawn.
constexpr uint64_t below(uint64_t range, uint64_t bits, const Rng& rng, int64_t element) {
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide(bits) * range;
  if (static_cast<uint64_t>(product) < range) [[unlikely]] {
    uint64_t unfair = (0 - range) % range;
    uint64_t block = rng.counter + static_cast<uint64_t>(element / 2);
    for (uint32_t plane = 1; static_cast<uint64_t>(product) < unfair && plane < 256; ++plane) {
      PhiloxBlock again = philox_block(rng.key, block, plane);
      int64_t w = element % 2 * 2;
      product = Wide(uint64_t{again.word[w]} << 32 | again.word[w + 1]) * range;
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

}  // namespace lutra
