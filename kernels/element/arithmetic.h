// Arithmetic of single elements: what binary.cpp and select.cpp run over tensors, and kernels/cuda on cards, where nvcc
// takes constexpr functions for its own.
#pragma once

#include <cstdint>

#include "kernels/element/division.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

struct Sub {
  template <class T> static constexpr T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b)); }
};
struct Mul {
  template <class T> static constexpr T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b)); }
};
struct RealDiv {
  template <class T> static constexpr T apply(T a, T b) { return a / b; }
};
struct SquaredDifference {
  template <class T> static constexpr T apply(T a, T b) {
    Wrapping<T> difference = Wrapping<T>(a) - Wrapping<T>(b);
    return static_cast<T>(difference * difference);
  }
};
struct Maximum {
  template <class T> static constexpr T apply(T a, T b) { return (a > b) | (a != a) ? a : b; }
};
struct Minimum {
  template <class T> static constexpr T apply(T a, T b) { return (a < b) | (a != a) ? a : b; }
};
// What reaches a of dy: half where it equals b.
struct MaximumGrad {
  template <class T> static constexpr T apply(T dy, T a, T b) { return a > b ? dy : a == b ? dy * T(0.5) : T(0); }
};
struct MinimumGrad {
  template <class T> static constexpr T apply(T dy, T a, T b) { return a < b ? dy : a == b ? dy * T(0.5) : T(0); }
};

// What both have: an integer divided by zero is told of.
struct FloorDivision {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> static constexpr bool is_wrong(T b) { return b == 0; }
  static constexpr bool kTellsValue = false;
};
struct FloorDiv : FloorDivision {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T a, T b) { return of(floor_divide(a, b)); }
  template <class T> [[gnu::always_inline]] static constexpr T of(Divided<T> divided) { return divided.quotient; }
};
struct FloorMod : FloorDivision {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T a, T b) { return of(floor_divide(a, b)); }
  template <class T> [[gnu::always_inline]] static constexpr T of(Divided<T> divided) { return divided.remainder; }
};

struct Select {
  // Conditions are bytes here: what a file brought along may be neither 0 nor 1.
  template <class T> static constexpr T apply(uint8_t condition, T x, T y) { return condition != 0 ? x : y; }
};

struct Clip {
  // nan on any side is handed on; the upper bound has the last word. A nan among the bounds is looked for apart: they
  // mostly repeat, and the comparisons with x are then two instructions.
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x, T low, T high) {
    T raised = x <= low ? low : x;
    T within = raised >= high ? high : raised;
    return (low != low) | (high != high) ? static_cast<T>(low + high) : within;
  }
};

}  // namespace lutra
