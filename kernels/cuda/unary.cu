// Functions of one element on cards.
#include "kernels/cuda/copy.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/indexed.h"
#include "kernels/element/element.h"
#include "kernels/element/error_function.h"
#include "kernels/element/roundings.h"

namespace lutra::cuda {
namespace {

struct Exp : Costly {
  template <class T> static constexpr T apply(T x) { return exp_of(x); }
};
struct Expm1 : Costly {
  template <class T> static constexpr T apply(T x) { return expm1_of(x); }
};
struct Log : Costly {
  template <class T> static constexpr T apply(T x) { return log_of(x); }
};
struct Log1p : Costly {
  template <class T> static constexpr T apply(T x) { return log1p_of(x); }
};
struct Erf : Costly {
  template <class T> static constexpr T apply(T x) { return erf_of(x); }
};

template <class Op> struct Truth {
  template <class T> static constexpr uint8_t apply(T x) { return Op::apply(x) ? 1 : 0; }
};
template <bool kAnswer> void answer(const KernelArgs& args) {
  run_indexed<uint8_t>(static_cast<const CudaLaunch&>(args), Everywhere<uint8_t>{kAnswer});
}

// Rounding ops: integers are copied.
template <class Op> void add_rounding(CudaKernels& kernels, const char* name) {
  add_unary<Op>(kernels, name, AllFloats{});
  kernels.add(name, kInts, {.run = run_copy});
}
// Predicates that are kOfIntegers for every integer.
template <class Op, bool kOfIntegers> void add_question(CudaKernels& kernels, const char* name) {
  kernels.add_each(name, AllFloats{}, [](auto tag) {
    return KernelEntry{.run = run_elementwise<Truth<Op>, uint8_t, typename decltype(tag)::type>};
  });
  kernels.add(name, kInts, {.run = answer<kOfIntegers>});
}

}  // namespace

void register_unary_cuda(CudaKernels& kernels) {
  add_unary<Neg>(kernels, "Neg", AllNumbers{});
  add_unary<Abs>(kernels, "Abs", AllNumbers{});
  add_unary<Sign>(kernels, "Sign", AllNumbers{});
  add_unary<Square>(kernels, "Square", AllNumbers{});
  add_unary<Invert>(kernels, "Invert", AllInts{});
  kernels.add("Invert", kBool, {.run = run_elementwise<LogicalNot, uint8_t, uint8_t>});
  kernels.add("LogicalNot", kBool, {.run = run_elementwise<LogicalNot, uint8_t, uint8_t>});
  add_rounding<Floor>(kernels, "Floor");
  add_rounding<Ceil>(kernels, "Ceil");
  add_rounding<Rint>(kernels, "Rint");
  add_rounding<Trunc>(kernels, "Trunc");
  add_question<IsNan, false>(kernels, "IsNan");
  add_question<IsInf, false>(kernels, "IsInf");
  add_question<IsFinite, true>(kernels, "IsFinite");
  add_unary<Sqrt>(kernels, "Sqrt", AllFloats{});
  add_unary<Rsqrt>(kernels, "Rsqrt", AllFloats{});
  add_unary<Reciprocal>(kernels, "Reciprocal", AllFloats{});
  add_unary<Exp>(kernels, "Exp", AllFloats{});
  add_unary<Expm1>(kernels, "Expm1", AllFloats{});
  add_unary<Log>(kernels, "Log", AllFloats{});
  add_unary<Log1p>(kernels, "Log1p", AllFloats{});
  add_unary<Erf>(kernels, "Erf", AllFloats{});
  add_binary<SqrtGrad>(kernels, "SqrtGrad", AllFloats{});
  add_binary<RsqrtGrad>(kernels, "RsqrtGrad", AllFloats{});
  add_binary<ReciprocalGrad>(kernels, "ReciprocalGrad", AllFloats{});
}

}  // namespace lutra::cuda
