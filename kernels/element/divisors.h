// The greatest common divisor of two elements, for kernels/cpu/divisors.cpp.
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "kernels/element/element.h"

namespace lutra {

struct Gcd {
  static constexpr int64_t kGrain = kCostlyGrain;
  // Stein's algorithm (1967): shifts and differences, which take a fraction of the time of divisions. The divisor of
  // the lowest integer and 0 is their magnitude, which wraps.
  template <class T> static constexpr T apply(T x, T y) {
    using U = std::make_unsigned_t<T>;
    auto magnitude = [](T value) {
      return static_cast<U>(value < 0 ? U(0) - static_cast<U>(value) : static_cast<U>(value));
    };
    U a = magnitude(x), b = magnitude(y);
    if (a == 0 || b == 0) return static_cast<T>(a | b);
    const int shift = std::countr_zero(static_cast<U>(a | b));
    a = static_cast<U>(a >> std::countr_zero(a));
    while (b != 0) {
      b = static_cast<U>(b >> std::countr_zero(b));
      const U low = a < b ? a : b;
      b = a < b ? static_cast<U>(b - a) : static_cast<U>(a - b);
      a = low;
    }
    return static_cast<T>(static_cast<U>(a << shift));
  }
};

}  // namespace lutra
