// Activation functions of one element and their gradients, for activations.cpp and kernels/cuda. Gradients compute (dy,
// x) or, as TensorFlow's do, (y, dy) or (dy, y).
#pragma once

#include "ops/activations.h"

#include <bit>
#include <cmath>

#include "kernels/element/element.h"
#include "kernels/element/elementary.h"
#include "kernels/element/error_function.h"

namespace lutra {

// selu's scale, and the magnitude of its limit for large negative numbers (Klambauer et al., 2017).
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluEnd = kSeluScale * 1.6732632423543772848170429916717;
// 2 sqrt(2 / pi), and the cube's factor in gelu's approximation.
inline constexpr double kTwoRoots = 1.5957691216057307117597842397375;
inline constexpr double kCube = 0.044715;

struct Relu {
  // Written so that nan passes and -0 becomes 0.
  template <class T> static constexpr T apply(T x) { return x <= 0 ? T(0) : x; }
};
struct ReluGrad {
  template <class T> static constexpr T apply(T dy, T y) { return y > 0 ? dy : T(0); }
};
struct Relu6 {
  template <class T> static constexpr T apply(T x) { return x <= 0 ? T(0) : x > 6 ? T(6) : x; }
};
struct Relu6Grad {
  template <class T> static constexpr T apply(T dy, T y) { return y > 0 && y < 6 ? dy : T(0); }
};

struct LeakyRelu {
  double alpha;
  explicit LeakyRelu(const KernelArgs& args) : alpha(args.as<LeakyReluAttrs>().alpha) {}
  template <class T> [[gnu::always_inline]] constexpr T apply(T x) const { return x > 0 ? x : T(alpha) * x; }
};
struct LeakyReluGrad : LeakyRelu {
  using LeakyRelu::LeakyRelu;
  template <class T> [[gnu::always_inline]] constexpr T apply(T dy, T x) const { return x > 0 ? dy : T(alpha) * dy; }
};

struct Elu : Costly {
  double alpha;
  explicit Elu(const KernelArgs& args) : alpha(args.as<EluAttrs>().alpha) {}
  template <class T> [[gnu::always_inline]] constexpr T apply(T x) const { return x >= 0 ? x : T(alpha) * expm1_of(x); }
};
struct EluGrad : Elu {
  using Elu::Elu;
  template <class T> [[gnu::always_inline]] constexpr T apply(T dy, T x) const {
    return x >= 0 ? dy : dy * T(alpha) * exp_of(x);
  }
};

struct Selu : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) {
    return x >= 0 ? T(kSeluScale) * x : T(kSeluEnd) * expm1_of(x);
  }
};
struct SeluGrad : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T dy, T x) {
    return dy * (x >= 0 ? T(kSeluScale) : T(kSeluEnd) * exp_of(x));
  }
};

struct Sigmoid : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) { return sigmoid_of(x); }
};
struct SigmoidGrad {
  template <class T> static constexpr T apply(T y, T dy) { return dy * y * (T(1) - y); }
};

// The logistic function of x and of -x. The latter is 1 minus the former, without the rounding error.
template <class T> struct Sides { T here, there; };
template <class T> [[gnu::always_inline]] constexpr Sides<T> sigmoid_sides(T x) {
  T e = falling_exp(-std::fabs(x));
  T large = T(1) / (T(1) + e), small = e / (T(1) + e);
  return {x < 0 ? small : large, x < 0 ? large : small};
}

struct Silu : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) { return times_sigmoid(x, x); }
  template <class T> [[gnu::always_inline]] static constexpr auto extent(T x) { return size_bits(x); }
  template <class T> static constexpr auto max_extent(T) { return size_bits(T(80)); }
  template <class T> [[gnu::always_inline]] static constexpr T plain(T x) { return plain_silu(x); }
};
// Slopes are constant far from 0: x is clamped there, so that inf is never multiplied by 0.
template <class T> [[gnu::always_inline]] constexpr T within(T x, T bound) {
  x = x > bound ? bound : x;
  return x < -bound ? -bound : x;
}
struct SiluGrad : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T dy, T x) {
    x = within(x, T(800));
    Sides<T> sides = sigmoid_sides(x);
    return dy * (sides.here * (T(1) + x * sides.there));
  }
};

// gelu: exact, and with tanh in place of the error function, where 0.5 (1 + tanh(v / 2)) is the logistic function of v.
struct Gelu : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) { return gelu_of(x); }
  // As size_bits, by the same instruction that plain begins with.
  template <class T> [[gnu::always_inline]] static constexpr auto extent(T x) {
    return std::bit_cast<typename FloatForm<T>::Bits>(std::fabs(x));
  }
  template <class T> static constexpr auto max_extent(T) { return size_bits(kPlainGelu<T>); }
  template <class T> [[gnu::always_inline]] static constexpr T plain(T x) { return gelu_of<true>(x); }
};
struct GeluGrad : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T dy, T x) { return dy * gelu_slope(x); }
};
struct GeluTanh : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) {
    return times_sigmoid(x, T(kTwoRoots) * (x + T(kCube) * (x * x * x)));
  }
};
struct GeluTanhGrad : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T dy, T x) {
    x = within(x, T(30));
    T z = x * x;
    Sides<T> sides = sigmoid_sides(T(kTwoRoots) * (x + T(kCube) * (z * x)));
    T slope = T(kTwoRoots) * (T(1) + T(3 * kCube) * z);
    return dy * (sides.here * (T(1) + x * slope * sides.there));
  }
};

struct Softplus : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T x) { return softplus_of(x); }
};
struct SoftplusGrad : Costly {
  template <class T> [[gnu::always_inline]] static constexpr T apply(T dy, T x) { return dy * sigmoid_of(x); }
};
struct Softsign {
  // Beside a large |x| the 1 is lost anyway, and inf over inf would be nan.
  template <class T> static constexpr T apply(T x) {
    T a = std::fabs(x);
    return a > T(1e30) ? std::copysign(T(1), x) : x / (T(1) + a);
  }
};
struct SoftsignGrad {
  template <class T> static constexpr T apply(T dy, T x) {
    T below = T(1) + std::fabs(x);
    return dy / below / below;
  }
};

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
