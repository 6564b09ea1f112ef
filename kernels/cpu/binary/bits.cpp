// Bit operations and shifts of two tensors on the CPU.

#include "kernels/cpu/binary/parts.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/comparisons.h"

namespace lutra {
namespace {

// One version per element size.
template <class Op> void add_bits(KernelRegistry& kernels, const char* name) {
  kernels.add(name, DeviceType::CPU, DType::Int8 | DType::UInt8, {.run = run_binary<Op, uint8_t, uint8_t>});
  kernels.add(name, DeviceType::CPU, DType::Int16, {.run = run_binary<Op, uint16_t, uint16_t>});
  kernels.add(name, DeviceType::CPU, DType::Int32, {.run = run_binary<Op, uint32_t, uint32_t>});
  kernels.add(name, DeviceType::CPU, DType::Int64, {.run = run_binary<Op, uint64_t, uint64_t>});
  kernels.add(name, DeviceType::CPU, kBool, {.run = run_binary<OfTruths<Op>, uint8_t, uint8_t>});
}

template <class Op> void add_shift(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllInts{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_checked_binary<Op, T>};
  });
}

}  // namespace

void add_bits_and_shifts(KernelRegistry& kernels) {
  add_bits<BitwiseAnd>(kernels, "BitwiseAnd");
  add_bits<BitwiseOr>(kernels, "BitwiseOr");
  add_bits<BitwiseXor>(kernels, "BitwiseXor");
  add_shift<LeftShift>(kernels, "LeftShift");
  add_shift<RightShift>(kernels, "RightShift");
}

}  // namespace lutra
