// Functions of complex numbers on the CPU: those of the C library, with its values at the edges, as in NumPy.

#include "kernels/cpu/complex/parts.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/complex_arithmetic.h"

namespace lutra {
namespace {

template <class F> struct Library : Costly {
  template <class T> static Complex<T> apply(Complex<T> x) { return from_standard(F{}(standard(x))); }
};

template <class F> void add_library(KernelRegistry& kernels, const char* name, F) {
  add_unary<Library<F>>(kernels, name, ComplexTypes{});
}

}  // namespace

void add_complex_functions(KernelRegistry& kernels) {
  add_library(kernels, "Exp", [](auto x) { return std::exp(x); });
  add_library(kernels, "Log", [](auto x) { return std::log(x); });
  add_library(kernels, "Sqrt", [](auto x) { return std::sqrt(x); });
  add_library(kernels, "Rsqrt", []<class T>(const std::complex<T>& x) { return T(1) / std::sqrt(x); });
  add_library(kernels, "Sin", [](auto x) { return std::sin(x); });
  add_library(kernels, "Cos", [](auto x) { return std::cos(x); });
  add_library(kernels, "Tan", [](auto x) { return std::tan(x); });
  add_library(kernels, "Sinh", [](auto x) { return std::sinh(x); });
  add_library(kernels, "Cosh", [](auto x) { return std::cosh(x); });
  add_library(kernels, "Tanh", [](auto x) { return std::tanh(x); });
}

}  // namespace lutra
