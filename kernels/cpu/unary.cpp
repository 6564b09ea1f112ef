// Functions of one element on the CPU, and the gradients of those that have a kernel of their own. Angles are in
// trigonometric.cpp, activations in activations.cpp.

#include "kernels/cpu/unary.h"

#include <cmath>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/elementary.h"
#include "kernels/cpu/error_function.h"
#include "kernels/cpu/instructions.h"

namespace lutra {
namespace {

struct Neg {
  template <class T> static T apply(T x) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(x));
    else return -x;
  }
};
struct Abs {
  template <class T> static T apply(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
    else return x < 0 ? Neg::apply(x) : x;
  }
};
struct Sign {
  // nan is handed on.
  template <class T> static T apply(T x) {
    T sign = static_cast<T>((x > 0) - (x < 0));
    if constexpr (std::is_floating_point_v<T>) return x == x ? sign : x;
    else return sign;
  }
};
struct Square {
  template <class T> static T apply(T x) { return static_cast<T>(Wrapping<T>(x) * Wrapping<T>(x)); }
};
struct Invert {
  template <class T> static T apply(T x) { return static_cast<T>(~x); }
};
// Of truths as bytes: loops over bool do not vectorise.
struct LogicalNot {
  static uint8_t apply(uint8_t x) { return x == 0; }
};
struct Sqrt {
  template <class T> static T apply(T x) { return std::sqrt(x); }
};
#if defined(__AVX512F__)
void run_float_sqrt(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size >= kStreamedSize<float> && run_streamed(args, run_float_sqrt)) return;
  const float* x = args.in[0].as<float>();
  float* roots = out.as<float>();
  parallel_for(out.size, kCheapGrain, [=](int64_t begin, int64_t end) {
    for (; begin + kRootsAtOnce <= end; begin += kRootsAtOnce) nearest_roots(x + begin, roots + begin);
    for (; begin < end; ++begin) roots[begin] = std::sqrt(x[begin]);
  });
}
#endif
struct Rsqrt {
  template <class T> static T apply(T x) { return T(1) / std::sqrt(x); }
};
struct Reciprocal {
  template <class T> static T apply(T x) { return T(1) / x; }
};

// Where the processor rounds, as it does; elsewhere by what follows, which gives the same.
#if defined(__SSE4_1__) || defined(__aarch64__)
inline constexpr bool kRounds = true;
#else
inline constexpr bool kRounds = false;
#endif
// x rounded to an integer, half to even: above 2^23 (or 2^52) floats have no fraction, and below adding as much takes
// it off.
template <class T> T rounded(T a) {
  constexpr T kWhole = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
  return a < kWhole ? (a + kWhole) - kWhole : a;
}
struct Rint {
  template <class T> static T apply(T x) {
    if constexpr (kRounds) return std::nearbyint(x);
    return std::copysign(rounded(std::fabs(x)), x);
  }
};
struct Trunc {
  template <class T> static T apply(T x) {
    if constexpr (kRounds) return std::trunc(x);
    T a = std::fabs(x), near = rounded(a);
    return std::copysign(near - (near > a ? T(1) : T(0)), x);
  }
};
struct Floor {
  template <class T> static T apply(T x) {
    if constexpr (kRounds) return std::floor(x);
    T near = Rint::apply(x);
    return std::copysign(near - (near > x ? T(1) : T(0)), x);
  }
};
struct Ceil {
  template <class T> static T apply(T x) {
    if constexpr (kRounds) return std::ceil(x);
    T near = Rint::apply(x);
    return std::copysign(near + (near < x ? T(1) : T(0)), x);
  }
};

struct Exp : Costly {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return exp_of(x); }
  template <class T> [[gnu::always_inline]] bool is_plain(T x) const { return std::fabs(x) <= kPlainExp<T>; }
  template <class T> [[gnu::always_inline]] T plain(T x) const { return plain_exp(x); }
};
struct Log : Costly {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return log_of(x); }
  template <std::same_as<float> T> [[gnu::always_inline]] bool is_plain(T x) const {
    return (x >= std::numeric_limits<float>::min()) & (x <= std::numeric_limits<float>::max());
  }
  template <std::same_as<float> T> [[gnu::always_inline]] T plain(T x) const { return plain_log(x); }
};

struct IsNan {
  template <class T> static bool apply(T x) { return x != x; }
};
struct IsInf {
  template <class T> static bool apply(T x) { return std::fabs(x) == std::numeric_limits<T>::infinity(); }
};
struct IsFinite {
  template <class T> static bool apply(T x) { return std::fabs(x) <= std::numeric_limits<T>::max(); }
};

// The gradient of an input from that of the output, by what the function gave.
struct SqrtGrad {
  template <class T> static T apply(T y, T dy) { return dy * T(0.5) / y; }
};
struct RsqrtGrad {
  template <class T> static T apply(T y, T dy) { return dy * T(-0.5) * (y * y * y); }
};
struct ReciprocalGrad {
  template <class T> static T apply(T y, T dy) { return -dy * (y * y); }
};

void copy_elements(const KernelArgs& args) {
  std::size_t bytes = size_of(args.out[0].dtype);
  parallel_for(args.out[0].size, kCheapGrain, [&](int64_t begin, int64_t end) {
    std::size_t at = static_cast<std::size_t>(begin) * bytes;
    std::memcpy(args.out[0].data + at, args.in[0].data + at, static_cast<std::size_t>(end - begin) * bytes);
  });
}

template <bool kValue> void fill_bool(const KernelArgs& args) {
  if (args.out[0].size > 0) std::memset(args.out[0].data, kValue, static_cast<std::size_t>(args.out[0].size));
}

// Rounding ops: integers are whole already.
template <class Op> void add_rounding(KernelRegistry& kernels, const char* name) {
  add_function<Op>(kernels, name);
  kernels.add(name, DeviceType::CPU, kInts, {.run = copy_elements});
}

// Questions whose answer is kOfIntegers for every integer.
template <class Op, bool kOfIntegers> void add_question(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_unary<Op, bool, typename decltype(tag)::type>}; });
  kernels.add(name, DeviceType::CPU, kInts, {.run = fill_bool<kOfIntegers>});
}

}  // namespace

void register_unary_cpu(KernelRegistry& kernels) {
  add_number_function<Neg>(kernels, "Neg");
  add_number_function<Abs>(kernels, "Abs");
  add_number_function<Sign>(kernels, "Sign");
  add_number_function<Square>(kernels, "Square");
  add_unary<Invert>(kernels, "Invert", AllInts{});
  kernels.add("Invert", DeviceType::CPU, kBool, {.run = run_unary<LogicalNot, uint8_t, uint8_t>});
  kernels.add("LogicalNot", DeviceType::CPU, kBool, {.run = run_unary<LogicalNot, uint8_t, uint8_t>});
  add_rounding<Floor>(kernels, "Floor");
  add_rounding<Ceil>(kernels, "Ceil");
  add_rounding<Rint>(kernels, "Rint");
  add_rounding<Trunc>(kernels, "Trunc");
  add_question<IsNan, false>(kernels, "IsNan");
  add_question<IsInf, false>(kernels, "IsInf");
  add_question<IsFinite, true>(kernels, "IsFinite");
  add_function<Sqrt>(kernels, "Sqrt");
#if defined(__AVX512F__)
  kernels.add("Sqrt", DeviceType::CPU, DType::Float32, {.run = run_float_sqrt});
#endif
  add_function<Rsqrt>(kernels, "Rsqrt");
  add_function<Reciprocal>(kernels, "Reciprocal");
  add_function<Exp>(kernels, "Exp");
  add_function_of(kernels, "Expm1", [](auto x) { return expm1_of(x); });
  add_function<Log>(kernels, "Log");
  add_function_of(kernels, "Log1p", [](auto x) { return log1p_of(x); });
  add_function_of(kernels, "Erf", [](auto x) { return erf_of(x); });
  add_function<SqrtGrad>(kernels, "SqrtGrad");
  add_function<RsqrtGrad>(kernels, "RsqrtGrad");
  add_function<ReciprocalGrad>(kernels, "ReciprocalGrad");
}

}  // namespace lutra
