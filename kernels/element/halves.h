// Halves in reductions: their order as integers, and a double's nearest half.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "core/rounded_to_odd.h"

namespace lutra {

template <class T> inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// The type that elements are compared in.
template <class T> using Ordered = std::conditional_t<kIsHalf<T>, int16_t, T>;

template <class H> constexpr int kInfBits = std::is_same_v<H, Float16> ? 0x7c00 : 0x7f80;

// The key that x is compared by; other types than halves are compared as they are. A half's nan becomes the one integer
// that wins: the largest, or the smallest.
template <bool kMost, class T> [[gnu::always_inline]] constexpr inline Ordered<T> order_key(T x) {
  if constexpr (kIsHalf<T>) {
    int16_t bits = static_cast<int16_t>(x.bits);
    int16_t magnitude = bits & 0x7fff;
    int16_t key = static_cast<int16_t>(bits ^ (static_cast<int16_t>(bits >> 15) & 0x7fff));
    return magnitude > kInfBits<T> ? int16_t{kMost ? 0x7fff : -0x8000} : key;
  } else {
    return x;
  }
}

template <class T> constexpr T from_order_key(Ordered<T> key) {
  if constexpr (kIsHalf<T>) {
    T x;
    x.bits = static_cast<uint16_t>(key ^ (static_cast<int16_t>(key >> 15) & 0x7fff));
    return x;
  } else {
    return key;
  }
}

// The nearest T.
template <class T> [[gnu::always_inline]] constexpr inline T rounded(double x) {
  if constexpr (kIsHalf<T>) return T(rounded_to_odd(x));
  else return static_cast<T>(x);
}

}  // namespace lutra
