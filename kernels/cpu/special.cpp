// erfc, erfinv, lgamma and its derivatives, and the incomplete gamma functions on the CPU.

#include "kernels/element/special.h"

#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/unary.h"
#include "kernels/element/incomplete_gamma.h"
#include "ops/special.h"

namespace lutra {
namespace {

struct OfPositive : Costly {
  template <class T> [[gnu::always_inline]] bool is_hard(T x) const { return x < 0; }
};
struct Lgamma : OfPositive {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return lgamma_of_positive(x); }
  template <class T> T hard(T x) const { return static_cast<T>(lgamma_of_negative(x)); }
};
struct Digamma : OfPositive {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return digamma_of_positive(x); }
  template <class T> T hard(T x) const { return static_cast<T>(digamma_of_negative(x)); }
};

struct Trigamma : OfPositive {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return trigamma_of_positive(x); }
  template <class T> T hard(T x) const { return static_cast<T>(polygamma_of(1, x)); }
};

[[gnu::noinline]] double derivative(int n, double x) { return nth_derivative(n, x); }
struct Polygamma {
  static constexpr int64_t kGrain = 64;
  explicit Polygamma(const KernelArgs& args) : n(static_cast<int>(args.as<PolygammaAttrs>().n)) {}
  template <class T> T apply(T x) const { return static_cast<T>(derivative(n, x)); }
  int n;
};

template <class T> void run_polygamma(const KernelArgs& args) {
  if (args.as<PolygammaAttrs>().n == 1) run_function<Trigamma, T>(args);
  else run_function<Polygamma, T>(args);
}

// Not inlined: it is long, and does not vectorise.
[[gnu::noinline]] GammaParts parts_of(double a, double x) { return gamma_parts(a, x); }
struct Igamma {
  static constexpr int64_t kGrain = 64;
  template <class T> static T apply(T a, T x) { return static_cast<T>(parts_of(a, x).lower); }
};
struct Igammac {
  static constexpr int64_t kGrain = 64;
  template <class T> static T apply(T a, T x) { return static_cast<T>(parts_of(a, x).upper); }
};

}  // namespace

void register_special_cpu(KernelRegistry& kernels) {
  add_function_of(kernels, "Erfc", [](auto x) { return erfc_of(x); });
  add_function_of(kernels, "Erfinv", [](auto x) { return erfinv_of(x); });
  add_function<Lgamma>(kernels, "Lgamma");
  add_function<Digamma>(kernels, "Digamma");
  add_binary<Igamma>(kernels, "Igamma", AllFloats{});
  add_binary<Igammac>(kernels, "Igammac", AllFloats{});
  kernels.add_each("Polygamma", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_polygamma<typename decltype(tag)::type>}; });
}

}  // namespace lutra
