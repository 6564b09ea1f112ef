// Functions of one element on the CPU.

#include <cmath>
#include <type_traits>

#include "kernels/cpu/elementary.h"
#include "kernels/cpu/elementwise.h"

namespace lutra {
namespace {

// The type to compute in so that overflow wraps.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct Neg {
  template <class T> static T apply(T x) { return static_cast<T>(-Wrapping<T>(x)); }
};
struct Abs {
  template <class T> static T apply(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
    else return x < 0 ? Neg::apply(x) : x;
  }
};
struct Square {
  template <class T> static T apply(T x) { return static_cast<T>(Wrapping<T>(x) * Wrapping<T>(x)); }
};
struct Relu {
  // Written so that nan is handed on and -0 becomes 0.
  template <class T> static T apply(T x) { return x <= 0 ? T(0) : x; }
};
struct LogicalNot {
  static uint8_t apply(uint8_t x) { return x == 0; }
};
struct Sqrt {
  template <class T> static T apply(T x) { return std::sqrt(x); }
};
struct Exp {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static T apply(T x) { return exp_of(x); }
};
struct Log {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static T apply(T x) { return log_of(x); }
};
struct Tanh {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static T apply(T x) { return tanh_of(x); }
};
struct Sigmoid {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static T apply(T x) { return sigmoid_of(x); }
};

template <class Op, class T> void span(const T* __restrict x, T* __restrict out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = Op::apply(x[i]);
}

template <class Op, class T> void run(const KernelArgs& args) {
  const T* x = args.in[0].as<T>();
  T* out = args.out[0].as<T>();
  parallel_for(args.out[0].size, grain_of<Op>(),
               [=](int64_t begin, int64_t end) { span<Op>(x + begin, out + begin, end - begin); });
}

template <class Op, class Types> void add(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types,
                   [](auto tag) { return KernelEntry{.run = run<Op, typename decltype(tag)::type>}; });
}

}  // namespace

void register_unary_cpu(KernelRegistry& kernels) {
  add<Neg>(kernels, "Neg", ComputedNumbers{});
  add<Abs>(kernels, "Abs", ComputedNumbers{});
  add<Square>(kernels, "Square", ComputedNumbers{});
  add<Relu>(kernels, "Relu", ComputedNumbers{});
  add<Sqrt>(kernels, "Sqrt", ComputedFloats{});
  add<Exp>(kernels, "Exp", ComputedFloats{});
  add<Log>(kernels, "Log", ComputedFloats{});
  add<Tanh>(kernels, "Tanh", ComputedFloats{});
  add<Sigmoid>(kernels, "Sigmoid", ComputedFloats{});
  kernels.add("LogicalNot", DeviceType::CPU, kBool, {.run = run<LogicalNot, uint8_t>});
}

}  // namespace lutra
