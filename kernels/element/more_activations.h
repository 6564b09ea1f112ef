// Activation functions of one element, for more_activations.cpp and kernels/cuda.
#pragma once

#include "ops/activations.h"

#include <cmath>

#include "kernels/element/element.h"
#include "kernels/element/elementary.h"

namespace lutra {

// tanh(log(1 + e^x)) is n / (n + 2) with n = e^x (e^x + 2). For positive x all is divided by e^2x, which would
// overflow.
struct Mish {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) {
    T e = falling_exp(-std::fabs(x));
    T below = e * (e + T(2)), above = T(1) + e + e;
    T share = x < 0 ? below / (below + T(2)) : above / (above + T(2) * e * e);
    T factor = x < T(-1000) ? T(-1000) : x;  // -inf times 0 would be nan
    return factor * share;
  }
};

struct HardSwish {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) {
    T inner = x * (x + T(3)) * T(1.0 / 6);
    return x <= T(-3) ? T(0) : x >= T(3) ? x : inner;
  }
};

struct HardSigmoid {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) {
    T y = x * T(1.0 / 6) + T(0.5);
    return x <= T(-3) ? T(0) : x >= T(3) ? T(1) : y;
  }
};

struct LogSigmoid {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) { return -softplus_of(-x); }
};

struct Celu {
  static constexpr int64_t kGrain = kCostlyGrain;
  double alpha;
  explicit Celu(const KernelArgs& args) : alpha(args.as<EluAttrs>().alpha) {}
  template <class T> [[gnu::always_inline]] constexpr T apply(T x) const {
    return x >= 0 ? x : T(alpha) * expm1_of(x * T(1 / alpha));
  }
};

}  // namespace lutra
