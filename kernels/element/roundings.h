// Functions of single elements that are exact or round once, for unary.cpp and kernels/cuda.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/element/element.h"

namespace lutra {

struct Neg {
  template <class T> static constexpr T apply(T x) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(x));
    else return -x;
  }
};
struct Abs {
  template <class T> static constexpr T apply(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
    else return x < 0 ? Neg::apply(x) : x;
  }
};
struct Sign {
  // nan passes.
  template <class T> static constexpr T apply(T x) {
    T sign = static_cast<T>((x > 0) - (x < 0));
    if constexpr (std::is_floating_point_v<T>) return x == x ? sign : x;
    else return sign;
  }
};
struct Square {
  template <class T> static constexpr T apply(T x) { return static_cast<T>(Wrapping<T>(x) * Wrapping<T>(x)); }
};
struct Invert {
  template <class T> static constexpr T apply(T x) { return static_cast<T>(~x); }
};
// On booleans as bytes: loops over bool do not vectorise.
struct LogicalNot {
  static constexpr uint8_t apply(uint8_t x) { return x == 0; }
};
struct Sqrt {
  template <class T> static constexpr T apply(T x) { return std::sqrt(x); }
};
struct Rsqrt {
  template <class T> static constexpr T apply(T x) { return T(1) / std::sqrt(x); }
};
struct Reciprocal {
  template <class T> static constexpr T apply(T x) { return T(1) / x; }
};

// Whether the processor has instructions for rounding; elsewhere the code below gives the same.
#if defined(__SSE4_1__) || defined(__aarch64__)
inline constexpr bool kRounds = true;
#else
inline constexpr bool kRounds = false;
#endif
// x rounded to an integer, half to even. From 2^23 (or 2^52) on floats have no fraction; below, adding that number
// rounds it off.
template <class T> constexpr T nearest_whole(T a) {
  constexpr T kWhole = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
  return a < kWhole ? (a + kWhole) - kWhole : a;
}
struct Rint {
  template <class T> static constexpr T apply(T x) {
    if constexpr (kRounds) return std::nearbyint(x);
    return std::copysign(nearest_whole(std::fabs(x)), x);
  }
};
struct Trunc {
  template <class T> static constexpr T apply(T x) {
    if constexpr (kRounds) return std::trunc(x);
    T a = std::fabs(x), near = nearest_whole(a);
    return std::copysign(near - (near > a ? T(1) : T(0)), x);
  }
};
struct Floor {
  template <class T> static constexpr T apply(T x) {
    if constexpr (kRounds) return std::floor(x);
    T near = Rint::apply(x);
    return std::copysign(near - (near > x ? T(1) : T(0)), x);
  }
};
struct Ceil {
  template <class T> static constexpr T apply(T x) {
    if constexpr (kRounds) return std::ceil(x);
    T near = Rint::apply(x);
    return std::copysign(near + (near < x ? T(1) : T(0)), x);
  }
};

struct IsNan {
  template <class T> static constexpr bool apply(T x) { return x != x; }
};
struct IsInf {
  template <class T> static constexpr bool apply(T x) { return std::fabs(x) == std::numeric_limits<T>::infinity(); }
};
struct IsFinite {
  template <class T> static constexpr bool apply(T x) { return std::fabs(x) <= std::numeric_limits<T>::max(); }
};

// The gradient of the input, from the function's result y and the gradient of y.
struct SqrtGrad {
  template <class T> static constexpr T apply(T y, T dy) { return dy * T(0.5) / y; }
};
struct RsqrtGrad {
  template <class T> static constexpr T apply(T y, T dy) { return dy * T(-0.5) * (y * y * y); }
};
struct ReciprocalGrad {
  template <class T> static constexpr T apply(T y, T dy) { return -dy * (y * y); }
};

}  // namespace lutra
