// Arithmetic of single elements, for binary.cpp, select.cpp and kernels/cuda, where nvcc compiles constexpr functions
// for cards too.
#pragma once

#include <cstdint>

#include "kernels/element/division.h"
#include "kernels/element/element.h"

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
// The gradient of a: dy where a wins, half of it where a equals b.
struct MaximumGrad {
  template <class T> static constexpr T apply(T dy, T a, T b) { return a > b ? dy : a == b ? dy * T(0.5) : T(0); }
};
struct MinimumGrad {
  template <class T> static constexpr T apply(T dy, T a, T b) { return a < b ? dy : a == b ? dy * T(0.5) : T(0); }
};

// For both: an integer division by zero is reported.
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
  // Conditions are bytes here: those read from a file may be neither 0 nor 1.
  template <class T> static constexpr T apply(uint8_t condition, T x, T y) { return condition != 0 ? x : y; }
};

struct Clip {
  // nan in any argument gives nan; the upper bound is applied last. A nan bound is checked separately: bounds mostly
  // repeat, and the comparisons with x are then two instructions.
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x, T low, T high) {
    T raised = x <= low ? low : x;
    T within = raised >= high ? high : raised;
    return (low != low) | (high != high) ? static_cast<T>(low + high) : within;
  }
};

}  // namespace lutra
