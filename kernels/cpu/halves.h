// Halves in reductions: their order as integers, and how a double becomes one in a single rounding.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/half.h"

namespace lutra {

template <class T> inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// What elements are compared as.
template <class T> using Ordered = std::conditional_t<kIsHalf<T>, int16_t, T>;

template <class H> constexpr int kInfBits = std::is_same_v<H, Float16> ? 0x7c00 : 0x7f80;

// Other types are compared as they are. A nan becomes the one integer that wins: the largest, or the smallest.
template <bool kMost, class T> [[gnu::always_inline]] inline Ordered<T> order_key(T x) {
  if constexpr (kIsHalf<T>) {
    int16_t bits = static_cast<int16_t>(x.bits);
    int16_t magnitude = bits & 0x7fff;
    int16_t key = static_cast<int16_t>(bits ^ (static_cast<int16_t>(bits >> 15) & 0x7fff));
    return magnitude > kInfBits<T> ? int16_t{kMost ? 0x7fff : -0x8000} : key;
  } else {
    return x;
  }
}

template <class T> T from_order_key(Ordered<T> key) {
  if constexpr (kIsHalf<T>) {
    T x;
    x.bits = static_cast<uint16_t>(key ^ (static_cast<int16_t>(key >> 15) & 0x7fff));
    return x;
  } else {
    return key;
  }
}

// The nearest T. On the way to a half float32 is rounded to odd, so that the second rounding sees what the first cut
// off.
template <class T> [[gnu::always_inline]] inline T rounded(double x) {
  if constexpr (kIsHalf<T>) {
    float near = static_cast<float>(x);
    uint32_t bits = std::bit_cast<uint32_t>(near);
    double back = static_cast<double>(near);
    uint32_t towards = std::fabs(back) < std::fabs(x) ? bits + 1 : bits - 1;
    return T(std::bit_cast<float>((back != x) & ((bits & 1) == 0) ? towards : bits));
  } else {
    return static_cast<T>(x);
  }
}

}  // namespace lutra
