// Comparisons, logic and bit operations of single elements, for compare.cpp and kernels/cuda.
#pragma once

#include <cstdint>

#include "kernels/element/element.h"

namespace lutra {

struct Equal {
  template <class T> static constexpr bool apply(T a, T b) { return a == b; }
};
struct NotEqual {
  template <class T> static constexpr bool apply(T a, T b) { return a != b; }
};
struct Less {
  template <class T> static constexpr bool apply(T a, T b) { return a < b; }
};
struct LessEqual {
  template <class T> static constexpr bool apply(T a, T b) { return a <= b; }
};
struct Greater {
  template <class T> static constexpr bool apply(T a, T b) { return a > b; }
};
struct GreaterEqual {
  template <class T> static constexpr bool apply(T a, T b) { return a >= b; }
};

struct BitwiseAnd {
  template <class T> static constexpr T apply(T a, T b) { return static_cast<T>(a & b); }
};
struct BitwiseOr {
  template <class T> static constexpr T apply(T a, T b) { return static_cast<T>(a | b); }
};
struct BitwiseXor {
  template <class T> static constexpr T apply(T a, T b) { return static_cast<T>(a ^ b); }
};

// Booleans are bytes here: those read from a file may be neither 0 nor 1.
template <class Op> struct OfTruths {
  static constexpr uint8_t apply(uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(Op::apply(static_cast<uint8_t>(a != 0), static_cast<uint8_t>(b != 0)));
  }
};

template <class T> inline constexpr T kBitsOf = static_cast<T>(8 * sizeof(T));

// Shifting all bits out leaves 0, or a negative number's sign bits. A negative count is reported and gives 0.
struct Shift {
  template <class T> static constexpr bool is_wrong(T count) { return count < 0; }
  static constexpr bool kTellsValue = true;
};
struct LeftShift : Shift {
  template <class T> static constexpr T apply(T a, T count) {
    bool stays = (count >= 0) & (count < kBitsOf<T>);
    Wrapping<T> by = static_cast<Wrapping<T>>(stays ? count : T(0));
    return stays ? static_cast<T>(static_cast<Wrapping<T>>(a) << by) : T(0);
  }
};
struct RightShift : Shift {
  template <class T> static constexpr T apply(T a, T count) {
    constexpr T kMost = kBitsOf<T> - 1;
    T signs = a < 0 ? T(-1) : T(0);
    T by = (count < 0) | (count > kMost) ? T(0) : count;
    T shifted = static_cast<T>(a >> by);
    return count < 0 ? T(0) : count > kMost ? signs : shifted;
  }
  template <class T> static constexpr T apply_right(T a, T count) {
    constexpr T kMost = kBitsOf<T> - 1;
    if (std::is_unsigned_v<T> && count > kMost) return 0;
    return static_cast<T>(a >> (count > kMost ? kMost : count));  // a negative number's sign bits stay
  }
};

}  // namespace lutra
