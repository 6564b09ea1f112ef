// Powers and angles of two elements, for binary.cpp and kernels/cuda.
#pragma once

#include "kernels/element/arithmetic.h"
#include "kernels/element/atan2.h"
#include "kernels/element/power.h"

namespace lutra {

struct Atan2 {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static constexpr T apply(T y, T x) { return atan2_of(y, x); }
};

struct Pow {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return pow_of(a, b);
    } else {
      Wrapping<T> base = static_cast<Wrapping<T>>(a), result = 1;
      for (T left = b; left > 0; left = static_cast<T>(left >> 1)) {
        if ((left & 1) != 0) result *= base;
        base *= base;
      }
      return b < 0 ? T(0) : static_cast<T>(result);
    }
  }
  template <class T> static constexpr bool is_wrong(T b) { return b < 0; }
  static constexpr bool kTellsValue = true;
};

// Powers computed by a multiplication or two, a division or a root.
struct Power1 {
  template <class T> static constexpr T apply(T a) { return a; }
};
struct Power2 {
  template <class T> static constexpr T apply(T a) { return Mul::apply(a, a); }
};
struct Power3 {
  template <class T> static constexpr T apply(T a) { return Mul::apply(Mul::apply(a, a), a); }
};
struct Inverse {
  template <class T> static constexpr T apply(T a) { return T(1) / a; }
};
struct Root {
  // pow, unlike sqrt, gives 0 for -0 and inf for -inf.
  template <class T> static constexpr T apply(T a) {
    constexpr T kInf = std::numeric_limits<T>::infinity();
    return a == -kInf ? kInf : std::sqrt(a) + T(0);
  }
};

}  // namespace lutra
