// Arithmetic of two tensors on the CPU. Comparisons, logic and bit operations are in compare.cpp.

#include <cmath>
#include <type_traits>

#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/long_functions.h"
#include "kernels/element/arithmetic.h"
#include "kernels/element/division.h"
#include "kernels/element/power_ops.h"

namespace lutra {
namespace {

// Division of floats (and of halves, computed as floats) and of 64-bit integers: blocks in which all quotients are
// small enough vectorise.
template <class Op> struct Near {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) { return Op::of(floor_divide_near(a, b)); }
};
struct IsFarApart {
  template <class T> [[gnu::always_inline]] static uint8_t apply(T a, T b) { return is_far_apart(a, b); }
};
template <class Op, class T> void run_near_division(const KernelArgs& args) {
  const T* a = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  for_binary_rows(args, grain_of<Op, T>(),
                  [=, fault = args.fault](int64_t at_a, int64_t at_b, int64_t first, int64_t n, int64_t stride_a,
                                          int64_t stride_b) {
                    if constexpr (std::is_integral_v<T>) tell_wrong<Op>(fault, b + at_b, stride_b, n);
                    constexpr int64_t kBlock = 1024;
                    uint8_t is_far[kBlock];
                    for (int64_t at = 0; at < n; at += kBlock) {
                      const T* left = a + at_a + at * stride_a;
                      const T* right = b + at_b + at * stride_b;
                      int64_t count = std::min(kBlock, n - at);
                      binary_row<IsFarApart, uint8_t, T>(left, stride_a, right, stride_b, is_far, count);
                      uint8_t any = 0;
                      for (int64_t i = 0; i < count; ++i) any |= is_far[i];
                      T* to = out + first + at;
                      if (any == 0) binary_row<Near<Op>, T, T>(left, stride_a, right, stride_b, to, count);
                      else binary_row<Op, T, T>(left, stride_a, right, stride_b, to, count);
                    }
                  });
}

template <class T> void run_pow(const KernelArgs& args) {
  if (args.in[1].size == 1) {
    double exponent = static_cast<double>(*args.in[1].as<T>());
    if (exponent == 1) return run_unary<Power1, T, T>(args);
    if (exponent == 2) return run_unary<Power2, T, T>(args);
    if (exponent == 3) return run_unary<Power3, T, T>(args);
    if constexpr (!std::is_integral_v<T>) {
      if (exponent == -1) return run_unary<Inverse, T, T>(args);
      if (exponent == 0.5) return run_unary<Root, T, T>(args);
    }
  }
  if constexpr (std::is_integral_v<T>) run_checked_binary<Pow, T>(args);
  else run_long_binary<Pow, T>(args);
}

// Only for integers are there mistakes to report: floats have inf and nan.
template <class Op> void add_checked(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr bool kMayBeNear = std::is_same_v<ComputeType<T>, float> || std::is_same_v<T, int64_t>;
    if constexpr (kMayBeNear) return KernelEntry{.run = run_near_division<Op, T>};
    else if constexpr (std::is_integral_v<T>) return KernelEntry{.run = run_checked_binary<Op, T>};
    else return KernelEntry{.run = run_binary<Op, T, T>};
  });
}
template <class Op> void add_gradient(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_ternary<Op, T, T, T>};
  });
}

}  // namespace

void register_binary_cpu(KernelRegistry& kernels) {
  add_binary<Add>(kernels, "AddV2", AllNumbers{});
  add_binary<Sub>(kernels, "Sub", AllNumbers{});
  add_binary<Mul>(kernels, "Mul", AllNumbers{});
  add_binary<RealDiv>(kernels, "RealDiv", AllFloats{});
  add_binary<SquaredDifference>(kernels, "SquaredDifference", AllNumbers{});
  add_binary<Maximum>(kernels, "Maximum", AllNumbers{});
  add_binary<Minimum>(kernels, "Minimum", AllNumbers{});
  add_gradient<MaximumGrad>(kernels, "MaximumGrad");
  add_gradient<MinimumGrad>(kernels, "MinimumGrad");
  add_long_binary<Atan2>(kernels, "Atan2");
  add_checked<FloorDiv>(kernels, "FloorDiv");
  add_checked<FloorMod>(kernels, "FloorMod");
  kernels.add_each("Pow", DeviceType::CPU, AllNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_pow<typename decltype(tag)::type>}; });
}

}  // namespace lutra
