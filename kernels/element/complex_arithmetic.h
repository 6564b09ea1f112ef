// Quotients, sizes and powers of single complex numbers.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

#include "kernels/element/element.h"

namespace lutra {

// Smith's algorithm: the divisor's smaller part is divided by the larger one, so that no square overflows. Division by
// 0 gives inf and nan.
struct ComplexDiv {
  template <class T> [[gnu::always_inline]] static Complex<T> apply(Complex<T> a, Complex<T> b) {
    const bool turned = std::fabs(b.re) < std::fabs(b.im);
    const T large = turned ? b.im : b.re, small = turned ? b.re : b.im;
    const T x = turned ? a.im : a.re, y = turned ? a.re : a.im;
    const T ratio = large == 0 ? T(0) : small / large;  // keeps 1 / 0 from being nan
    const T scale = T(1) / (large + small * ratio);
    const T side = y - x * ratio;
    return {(x + y * ratio) * scale, (turned ? -side : side) * scale};
  }
};

// In float64, squares of float32 neither overflow nor vanish.
template <class T> [[gnu::always_inline]] inline T size_of_complex(Complex<T> x) {
  if constexpr (sizeof(T) == 4) {
    const double re = x.re, im = x.im;
    const T size = static_cast<T>(std::sqrt(re * re + im * im));
    constexpr T inf = std::numeric_limits<T>::infinity();
    return (std::fabs(x.re) == inf) | (std::fabs(x.im) == inf) ? inf : size;
  } else {
    return std::hypot(x.re, x.im);
  }
}

template <class T> std::complex<T> standard(Complex<T> x) { return {x.re, x.im}; }
template <class T> Complex<T> from_standard(const std::complex<T>& x) { return {x.real(), x.imag()}; }

// Whole powers up to 100 are products, as in NumPy.
struct ComplexPow : Costly {
  template <class T> static Complex<T> apply(Complex<T> a, Complex<T> b) {
    if (b.re == 0 && b.im == 0) return Complex<T>(T(1));
    if (a.re == 0 && a.im == 0) {
      constexpr T nan = std::numeric_limits<T>::quiet_NaN();
      return b.re > 0 ? Complex<T>() : Complex<T>(nan, nan);
    }
    if (b.im == 0 && std::fabs(b.re) <= 100 && b.re == std::trunc(b.re)) {
      const int n = static_cast<int>(std::fabs(b.re));
      return whole(b.re < 0 ? ComplexDiv::apply(Complex<T>(T(1)), a) : a, n);  // a power of a might overflow
    }
    return from_standard(std::pow(standard(a), standard(b)));
  }

 private:
  template <class T> static Complex<T> whole(Complex<T> a, int n) {
    Complex<T> power(T(1)), factor = a;
    for (unsigned rest = static_cast<unsigned>(n); rest > 0; rest >>= 1) {
      if ((rest & 1) != 0) power = power * factor;
      if (rest > 1) factor = factor * factor;
    }
    return power;
  }
};

}  // namespace lutra
