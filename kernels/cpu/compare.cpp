// Comparisons, logic and bit operations of two tensors on the CPU.

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/comparisons.h"

namespace lutra {
namespace {

template <class Op> void add_truths(KernelRegistry& kernels, const char* name) {
  kernels.add(name, DeviceType::CPU, kBool, {.run = run_binary<OfTruths<Op>, uint8_t, uint8_t>});
}

template <class Op> void add_comparison(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_binary<Op, bool, T>};
  });
  add_truths<Op>(kernels, name);
}

// One version per element size.
template <class Op> void add_bits(KernelRegistry& kernels, const char* name) {
  kernels.add(name, DeviceType::CPU, DType::Int8 | DType::UInt8, {.run = run_binary<Op, uint8_t, uint8_t>});
  kernels.add(name, DeviceType::CPU, DType::Int16, {.run = run_binary<Op, uint16_t, uint16_t>});
  kernels.add(name, DeviceType::CPU, DType::Int32, {.run = run_binary<Op, uint32_t, uint32_t>});
  kernels.add(name, DeviceType::CPU, DType::Int64, {.run = run_binary<Op, uint64_t, uint64_t>});
  add_truths<Op>(kernels, name);
}

template <class Op> void add_shift(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllInts{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_checked_binary<Op, T>};
  });
}

}  // namespace

void register_compare_cpu(KernelRegistry& kernels) {
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
  add_shift<LeftShift>(kernels, "LeftShift");
  add_shift<RightShift>(kernels, "RightShift");
}

}  // namespace lutra
