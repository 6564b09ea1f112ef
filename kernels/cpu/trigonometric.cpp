// Trigonometric functions, their inverses and the hyperbolic functions on the CPU.

#include "kernels/element/trigonometric.h"

#include <cmath>

#include "kernels/cpu/loops/unary.h"

namespace lutra {
namespace {

// Large angles are left to the C library.
struct OfAngle : Costly {
  template <class T> [[gnu::always_inline]] bool is_hard(T x) const { return is_large_angle(x); }
};
struct Sin : OfAngle {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return sin_of(x); }
  template <class T> T hard(T x) const { return std::sin(x); }
};
struct Cos : OfAngle {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return cos_of(x); }
  template <class T> T hard(T x) const { return std::cos(x); }
};
struct Tan : OfAngle {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return tan_of(x); }
  template <class T> T hard(T x) const { return std::tan(x); }
};

}  // namespace

void register_trigonometric_cpu(KernelRegistry& kernels) {
  add_function<Sin>(kernels, "Sin");
  add_function<Cos>(kernels, "Cos");
  add_function<Tan>(kernels, "Tan");
  add_function_of(kernels, "Asin", [](auto x) { return asin_of(x); });
  add_function_of(kernels, "Acos", [](auto x) { return acos_of(x); });
  add_function_of(kernels, "Atan", [](auto x) { return atan_of(x); });
  add_function_of(kernels, "Sinh", [](auto x) { return sinh_of(x); });
  add_function_of(kernels, "Cosh", [](auto x) { return cosh_of(x); });
  add_function_of(kernels, "Tanh", [](auto x) { return tanh_of(x); });
  add_function_of(kernels, "Asinh", [](auto x) { return asinh_of(x); });
  add_function_of(kernels, "Acosh", [](auto x) { return acosh_of(x); });
  add_function_of(kernels, "Atanh", [](auto x) { return atanh_of(x); });
  add_function<TanhGrad>(kernels, "TanhGrad");
}

}  // namespace lutra
