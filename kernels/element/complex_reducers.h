// Reducers (reducers.h) of complex numbers, which are accumulated in float64.
#pragma once

#include "kernels/element/reducers.h"

namespace lutra {

template <class T> struct SumOf<Complex<T>, Complex<T>> {
  using In = Complex<T>;
  using Run = Complex128;
  using Acc = Complex128;
  using Next = SumOf<Complex128, Complex128>;
  static constexpr Complex128 kStart{};
  static constexpr Run open(In x) { return Run(x); }
  static constexpr Run join(Run a, Run b) { return a + b; }
  static constexpr Acc lift(Run run) { return run; }
  static constexpr Acc merge(Acc a, Acc b) { return a + b; }
};

template <class T> struct ProdOf<Complex<T>> {
  using In = Complex<T>;
  using Run = Complex128;
  using Acc = Complex128;
  using Next = ProdOf<Complex128>;
  static constexpr Complex128 kStart{1, 0};
  static constexpr Run open(In x) { return Run(x); }
  static constexpr Run join(Run a, Run b) { return a * b; }
  static constexpr Acc lift(Run run) { return run; }
  static constexpr Acc merge(Acc a, Acc b) { return a * b; }
};

}  // namespace lutra
