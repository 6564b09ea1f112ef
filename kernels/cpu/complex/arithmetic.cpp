// Arithmetic and comparisons of complex tensors on the CPU.

#include "kernels/element/arithmetic.h"
#include "kernels/cpu/complex/parts.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/comparisons.h"
#include "kernels/element/complex_arithmetic.h"

namespace lutra {
namespace {

struct Negative {
  template <class T> static constexpr T apply(T x) { return -x; }
};
struct Squared {
  template <class T> static constexpr T apply(T x) { return x * x; }
};
struct Inverse {
  template <class T> [[gnu::always_inline]] static Complex<T> apply(Complex<T> x) {
    return ComplexDiv::apply(Complex<T>(T(1)), x);
  }
};
struct SizeOf {
  template <class T> [[gnu::always_inline]] static T apply(Complex<T> x) { return size_of_complex(x); }
};

template <class Op> void add_question(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, ComplexTypes{},
                   [](auto tag) { return KernelEntry{.run = run_binary<Op, bool, typename decltype(tag)::type>}; });
}

}  // namespace

void add_complex_arithmetic(KernelRegistry& kernels) {
  add_binary<Add>(kernels, "AddV2", ComplexTypes{});
  add_binary<Sub>(kernels, "Sub", ComplexTypes{});
  add_binary<Mul>(kernels, "Mul", ComplexTypes{});
  add_binary<ComplexDiv>(kernels, "RealDiv", ComplexTypes{});
  add_binary<ComplexPow>(kernels, "Pow", ComplexTypes{});
  add_question<Equal>(kernels, "Equal");
  add_question<NotEqual>(kernels, "NotEqual");
  add_unary<Negative>(kernels, "Neg", ComplexTypes{});
  add_unary<Squared>(kernels, "Square", ComplexTypes{});
  add_unary<Inverse>(kernels, "Reciprocal", ComplexTypes{});
  kernels.add("Abs", DeviceType::CPU, DType::Complex64, {.run = run_unary<SizeOf, float, Complex64>});
  kernels.add("Abs", DeviceType::CPU, DType::Complex128, {.run = run_unary<SizeOf, double, Complex128>});
}

}  // namespace lutra
