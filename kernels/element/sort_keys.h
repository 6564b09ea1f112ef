// Elements as unsigned integers in the same order, so that one radix sort serves every dtype.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/half.h"

namespace lutra {

template <std::size_t bytes>
using UnsignedOf =
    std::conditional_t<bytes == 1, uint8_t,
                       std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;
template <class T> using KeyOf = UnsignedOf<sizeof(T)>;

template <class T> inline constexpr KeyOf<T> kSignBit = static_cast<KeyOf<T>>(KeyOf<T>(1) << (8 * sizeof(T) - 1));
template <class T> inline constexpr KeyOf<T> kInfinityBits = 0;
template <> inline constexpr uint16_t kInfinityBits<Float16> = 0x7c00;
template <> inline constexpr uint16_t kInfinityBits<BFloat16> = 0x7f80;
template <> inline constexpr uint32_t kInfinityBits<float> = 0x7f800000;
template <> inline constexpr uint64_t kInfinityBits<double> = 0x7ff0000000000000;
template <class T> inline constexpr bool kIsFloatElement = kInfinityBits<T> != 0;

// -0 has 0's key, and every nan the largest.
template <class T> [[gnu::always_inline]] constexpr KeyOf<T> key_of(T value) {
  using K = KeyOf<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_unsigned_v<T>) {
    return value;
  } else if constexpr (!kIsFloatElement<T>) {
    return static_cast<K>(static_cast<K>(value) ^ kSignBit<T>);
  } else {
    K bits = std::bit_cast<K>(value), magnitude = static_cast<K>(bits & ~kSignBit<T>);
    K key = magnitude != 0 && bits != magnitude ? static_cast<K>(~bits) : static_cast<K>(magnitude | kSignBit<T>);
    return magnitude > kInfinityBits<T> ? std::numeric_limits<K>::max() : key;
  }
}

// The element of a key. Where several elements share a key: the positive zero, and one nan.
template <class T> [[gnu::always_inline]] constexpr T element_of(KeyOf<T> key) {
  using K = KeyOf<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return key != 0;
  } else if constexpr (std::is_unsigned_v<T>) {
    return key;
  } else if constexpr (!kIsFloatElement<T>) {
    return static_cast<T>(key ^ kSignBit<T>);
  } else {
    bool negative = (key & kSignBit<T>) == 0;
    return std::bit_cast<T>(static_cast<K>(negative ? ~key : key & ~kSignBit<T>));
  }
}

}  // namespace lutra
