// erfc, erfinv, lgamma and its derivatives, and the incomplete gamma functions on cards.
#include "kernels/cuda/elementwise.h"
#include "kernels/element/element.h"
#include "kernels/element/incomplete_gamma.h"
#include "kernels/element/special.h"
#include "ops/special.h"

namespace lutra::cuda {
namespace {

struct Erfc : Costly {
  template <class T> static constexpr T apply(T x) { return erfc_of(x); }
};
struct Erfinv : Costly {
  template <class T> static constexpr T apply(T x) { return erfinv_of(x); }
};
struct Lgamma : Costly {
  template <class T> static constexpr T apply(T x) {
    return x < 0 ? static_cast<T>(lgamma_of_negative(x)) : lgamma_of_positive(x);
  }
};
struct Digamma : Costly {
  template <class T> static constexpr T apply(T x) {
    return x < 0 ? static_cast<T>(digamma_of_negative(x)) : digamma_of_positive(x);
  }
};
struct Polygamma : Costly {
  explicit Polygamma(const KernelArgs& args) : n(static_cast<int>(args.as<PolygammaAttrs>().n)) {}
  template <class T> constexpr T apply(T x) const {
    return n == 1 && !(x < 0) ? trigamma_of_positive(x) : static_cast<T>(nth_derivative(n, x));
  }
  int n;
};

struct Igamma : Costly {
  template <class T> static constexpr T apply(T a, T x) { return static_cast<T>(gamma_parts(a, x).lower); }
};
struct Igammac : Costly {
  template <class T> static constexpr T apply(T a, T x) { return static_cast<T>(gamma_parts(a, x).upper); }
};

}  // namespace

void register_special_cuda(CudaKernels& kernels) {
  add_unary<Erfc>(kernels, "Erfc", AllFloats{});
  add_unary<Erfinv>(kernels, "Erfinv", AllFloats{});
  add_unary<Lgamma>(kernels, "Lgamma", AllFloats{});
  add_unary<Digamma>(kernels, "Digamma", AllFloats{});
  add_binary<Igamma>(kernels, "Igamma", AllFloats{});
  add_binary<Igammac>(kernels, "Igammac", AllFloats{});
  add_unary<Polygamma>(kernels, "Polygamma", AllFloats{});
}

}  // namespace lutra::cuda
