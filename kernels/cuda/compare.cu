// Comparisons, logic and bit operations of two tensors on cards. Booleans are bytes.
#include "kernels/cuda/elementwise.h"
#include "kernels/element/comparisons.h"

namespace lutra::cuda {
namespace {

template <class Op> struct Truth {
  template <class T> static constexpr uint8_t apply(T a, T b) { return Op::apply(a, b) ? 1 : 0; }
};
template <class Op> void add_truths(CudaKernels& kernels, const char* name) {
  kernels.add(name, kBool, {.run = run_elementwise<OfTruths<Op>, uint8_t, uint8_t, uint8_t>});
}
template <class Op> void add_comparison(CudaKernels& kernels, const char* name) {
  kernels.add_each(name, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_elementwise<Truth<Op>, uint8_t, T, T>};
  });
  add_truths<Op>(kernels, name);
}
// One version per element size.
template <class Op> void add_bits(CudaKernels& kernels, const char* name) {
  kernels.add(name, DType::Int8 | DType::UInt8, {.run = run_elementwise<Op, uint8_t, uint8_t, uint8_t>});
  kernels.add(name, DType::Int16, {.run = run_elementwise<Op, uint16_t, uint16_t, uint16_t>});
  kernels.add(name, DType::Int32, {.run = run_elementwise<Op, uint32_t, uint32_t, uint32_t>});
  kernels.add(name, DType::Int64, {.run = run_elementwise<Op, uint64_t, uint64_t, uint64_t>});
  add_truths<Op>(kernels, name);
}

}  // namespace

void register_compare_cuda(CudaKernels& kernels) {
  add_comparison<Equal>(kernels, "Equal");
  add_comparison<NotEqual>(kernels, "NotEqual");
  add_comparison<Less>(kernels, "Less");
  add_comparison<LessEqual>(kernels, "LessEqual");
  add_comparison<Greater>(kernels, "Greater");
  add_comparison<GreaterEqual>(kernels, "GreaterEqual");
  add_truths<BitwiseAnd>(kernels, "LogicalAnd");
  add_truths<BitwiseOr>(kernels, "LogicalOr");
  add_truths<BitwiseXor>(kernels, "LogicalXor");
  add_bits<BitwiseAnd>(kernels, "BitwiseAnd");
  add_bits<BitwiseOr>(kernels, "BitwiseOr");
  add_bits<BitwiseXor>(kernels, "BitwiseXor");
  add_binary<LeftShift>(kernels, "LeftShift", AllInts{});
  add_binary<RightShift>(kernels, "RightShift", AllInts{});
}

}  // namespace lutra::cuda
