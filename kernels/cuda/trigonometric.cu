// Trigonometric functions, their inverses and the hyperbolic functions on cards.
#include "kernels/cuda/elementwise.h"
#include "kernels/element/element.h"
#include "kernels/element/trigonometric.h"

namespace lutra::cuda {
namespace {

// Large angles are left to CUDA's functions, where the CPU uses the C library's.
struct Sin : Costly {
  template <class T> static constexpr T apply(T x) { return is_large_angle(x) ? std::sin(x) : sin_of(x); }
};
struct Cos : Costly {
  template <class T> static constexpr T apply(T x) { return is_large_angle(x) ? std::cos(x) : cos_of(x); }
};
struct Tan : Costly {
  template <class T> static constexpr T apply(T x) { return is_large_angle(x) ? std::tan(x) : tan_of(x); }
};
struct Asin : Costly {
  template <class T> static constexpr T apply(T x) { return asin_of(x); }
};
struct Acos : Costly {
  template <class T> static constexpr T apply(T x) { return acos_of(x); }
};
struct Atan : Costly {
  template <class T> static constexpr T apply(T x) { return atan_of(x); }
};
struct Sinh : Costly {
  template <class T> static constexpr T apply(T x) { return sinh_of(x); }
};
struct Cosh : Costly {
  template <class T> static constexpr T apply(T x) { return cosh_of(x); }
};
struct Tanh : Costly {
  template <class T> static constexpr T apply(T x) { return tanh_of(x); }
};
struct Asinh : Costly {
  template <class T> static constexpr T apply(T x) { return asinh_of(x); }
};
struct Acosh : Costly {
  template <class T> static constexpr T apply(T x) { return acosh_of(x); }
};
struct Atanh : Costly {
  template <class T> static constexpr T apply(T x) { return atanh_of(x); }
};

}  // namespace

void register_trigonometric_cuda(CudaKernels& kernels) {
  add_unary<Sin>(kernels, "Sin", AllFloats{});
  add_unary<Cos>(kernels, "Cos", AllFloats{});
  add_unary<Tan>(kernels, "Tan", AllFloats{});
  add_unary<Asin>(kernels, "Asin", AllFloats{});
  add_unary<Acos>(kernels, "Acos", AllFloats{});
  add_unary<Atan>(kernels, "Atan", AllFloats{});
  add_unary<Sinh>(kernels, "Sinh", AllFloats{});
  add_unary<Cosh>(kernels, "Cosh", AllFloats{});
  add_unary<Tanh>(kernels, "Tanh", AllFloats{});
  add_unary<Asinh>(kernels, "Asinh", AllFloats{});
  add_unary<Acosh>(kernels, "Acosh", AllFloats{});
  add_unary<Atanh>(kernels, "Atanh", AllFloats{});
  add_binary<TanhGrad>(kernels, "TanhGrad", AllFloats{});
}

}  // namespace lutra::cuda
