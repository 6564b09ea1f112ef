// Functions of one element on the CPU, and those gradients that have kernels of their own. Angles are in
// trigonometric.cpp, activations in activations.cpp.

#include "kernels/cpu/loops/unary.h"

#include <cmath>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/instructions.h"
#include "kernels/element/elementary.h"
#include "kernels/element/error_function.h"
#include "kernels/element/quick_exp.h"
#include "kernels/element/roundings.h"

namespace lutra {
namespace {

// float32 roots by an approximation that is corrected to the nearest float, which is faster than the processor's own.
#if defined(__AVX512F__)
template <bool kInverse> void run_float_roots(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size >= kStreamedSize<float> && run_streamed(args, run_float_roots<kInverse>)) return;
  const float* x = args.in[0].as<float>();
  float* roots = out.as<float>();
  auto at = [=](int64_t i, auto root) __attribute__((always_inline)) {
    RootLanes lanes;
    std::memcpy(&lanes, x + i, sizeof lanes);
    lanes = root(lanes);
    if constexpr (kInverse) lanes = 1.0f / lanes;
    std::memcpy(roots + i, &lanes, sizeof lanes);
  };
  parallel_for(out.size, kCheapGrain, [=](int64_t begin, int64_t end) {
    // The divider computes every third register of roots, unless the divisions need it.
    for (; !kInverse && begin + 3 * kRootsAtOnce <= end; begin += 3 * kRootsAtOnce) {
      at(begin, processor_roots);
      at(begin + kRootsAtOnce, nearest_roots);
      at(begin + 2 * kRootsAtOnce, nearest_roots);
    }
    for (; begin + kRootsAtOnce <= end; begin += kRootsAtOnce) at(begin, nearest_roots);
    for (; begin < end; ++begin) roots[begin] = kInverse ? 1.0f / std::sqrt(x[begin]) : std::sqrt(x[begin]);
  });
}
#endif

struct Exp : Costly {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return exp_of(x); }
  template <class T> [[gnu::always_inline]] auto extent(T x) const { return size_bits(x); }
  template <class T> auto max_extent(T) const { return size_bits(kPlainExp<T>); }
  template <class T> [[gnu::always_inline]] T plain(T x) const { return plain_exp(x); }
};

// Returns whether all arguments were in range for quick_exp. Otherwise `out` is meaningless.
[[gnu::noinline]] bool quick_exp_span(const float* __restrict x, float* __restrict out, int64_t n) {
  uint32_t misfits = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = quick_exp(x[i], misfits);
  return misfits < kQuickPowers;
}

void run_float_exp(const KernelArgs& args) {
  const float* x = args.in[0].as<float>();
  float* out = args.out[0].as<float>();
  parallel_for(args.out[0].size, grain_of<Exp, float>(), [=](int64_t begin, int64_t end) {
    bool fit = true;  // after the first block that is not, skips the attempt
    for (int64_t n; begin < end; begin += n) {
      n = std::min(kFunctionBlock, end - begin);
      fit = fit && quick_exp_span(x + begin, out + begin, n);
      if (!fit) apply_span(Exp(), out + begin, n, x + begin);
    }
  });
}

struct Log : Costly {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return log_of(x); }
  // For positive, normal and finite numbers: from the bits of the smallest normal number on, below those of inf.
  template <std::same_as<float> T> [[gnu::always_inline]] uint32_t extent(T x) const {
    return std::bit_cast<uint32_t>(x) - 0x00800000u;
  }
  template <std::same_as<float> T> uint32_t max_extent(T) const { return 0x7effffff; }
  template <std::same_as<float> T> [[gnu::always_inline]] T plain(T x) const { return plain_log(x); }
};

void copy_elements(const KernelArgs& args) {
  int64_t bytes = static_cast<int64_t>(size_of(args.out[0].dtype));
  parallel_for(args.out[0].size, kCheapGrain, [&](int64_t begin, int64_t end) {
    copy_bytes(args.out[0].data + begin * bytes, args.in[0].data + begin * bytes, (end - begin) * bytes);
  });
}

template <bool kValue> void fill_bool(const KernelArgs& args) {
  if (args.out[0].size > 0) std::memset(args.out[0].data, kValue, static_cast<std::size_t>(args.out[0].size));
}

// Rounding ops: integers are copied.
template <class Op> void add_rounding(KernelRegistry& kernels, const char* name) {
  add_function<Op>(kernels, name);
  kernels.add(name, DeviceType::CPU, kInts, {.run = copy_elements});
}

// Predicates that are kOfIntegers for every integer.
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
  add_function<Rsqrt>(kernels, "Rsqrt");
#if defined(__AVX512F__)
  kernels.add("Sqrt", DeviceType::CPU, DType::Float32, {.run = run_float_roots<false>});
  kernels.add("Rsqrt", DeviceType::CPU, DType::Float32, {.run = run_float_roots<true>});
#endif
  add_function<Reciprocal>(kernels, "Reciprocal");
  add_function<Exp>(kernels, "Exp");
  kernels.add("Exp", DeviceType::CPU, DType::Float32, {.run = run_float_exp});
  add_function_of(kernels, "Expm1", [](auto x) { return expm1_of(x); });
  add_function<Log>(kernels, "Log");
  add_function_of(kernels, "Log1p", [](auto x) { return log1p_of(x); });
  add_function_of(kernels, "Erf", [](auto x) { return erf_of(x); });
  add_function<SqrtGrad>(kernels, "SqrtGrad");
  add_function<RsqrtGrad>(kernels, "RsqrtGrad");
  add_function<ReciprocalGrad>(kernels, "ReciprocalGrad");
}

}  // namespace lutra
