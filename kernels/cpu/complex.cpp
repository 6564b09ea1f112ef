// Complex numbers from their parts, and their parts, on the CPU. The other ops' kernels for complex dtypes are in
// complex/.

#include <cmath>
#include <cstring>

#include "kernels/cpu/complex/parts.h"
#include "kernels/cpu/loops/copy.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/roundings.h"

namespace lutra {
namespace {

struct Join {
  template <class T> static constexpr Complex<T> apply(T real, T imaginary) { return {real, imaginary}; }
};
struct RealPart {
  template <class T> static constexpr T apply(Complex<T> x) { return x.re; }
};
struct ImaginaryPart {
  template <class T> static constexpr T apply(Complex<T> x) { return x.im; }
};
struct Conjugate {
  template <class T> static constexpr Complex<T> apply(Complex<T> x) { return {x.re, -x.im}; }
};
struct AngleOf : Costly {
  template <class T> static T apply(Complex<T> x) { return std::atan2(x.im, x.re); }
  template <std::floating_point T> static T apply(T x) { return std::atan2(T(0), x); }
};

// A question about both parts: whether it is so of one, or of both.
template <class Question, bool kOfBoth> struct OfParts {
  template <class T> static constexpr bool apply(Complex<T> x) {
    return kOfBoth ? Question::apply(x.re) && Question::apply(x.im) : Question::apply(x.re) || Question::apply(x.im);
  }
};
template <class Question, bool kOfBoth> void add_question(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, ComplexTypes{}, [](auto tag) {
    return KernelEntry{.run = run_unary<OfParts<Question, kOfBoth>, bool, typename decltype(tag)::type>};
  });
}

void fill_zero(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size > 0) std::memset(out.data, 0, static_cast<std::size_t>(out.size) * size_of(out.dtype));
}

template <class Op, class Types> void add_part(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_unary<Op, typename T::Part, T>};
  });
}

}  // namespace

void register_complex_cpu(KernelRegistry& kernels) {
  kernels.add_each("Complex", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_binary<Join, Complex<ComputeType<T>>, T>};
  });
  add_part<RealPart>(kernels, "Real", ComplexTypes{});
  add_part<ImaginaryPart>(kernels, "Imag", ComplexTypes{});
  add_part<AngleOf>(kernels, "Angle", ComplexTypes{});
  kernels.add_each("Angle", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_unary<AngleOf, T, T>};
  });
  add_unary<Conjugate>(kernels, "Conj", ComplexTypes{});
  kernels.add("Real", DeviceType::CPU, kNumbers, {.run = run_copy});
  kernels.add("Conj", DeviceType::CPU, kNumbers, {.run = run_copy});
  kernels.add("Imag", DeviceType::CPU, kNumbers, {.run = fill_zero});
  add_question<IsNan, false>(kernels, "IsNan");
  add_question<IsInf, false>(kernels, "IsInf");
  add_question<IsFinite, true>(kernels, "IsFinite");
  add_complex_arithmetic(kernels);
  add_complex_functions(kernels);
  add_complex_sums(kernels);
  add_complex_products(kernels);
}

}  // namespace lutra
