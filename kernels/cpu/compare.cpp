// Comparisons and logic of two tensors on the CPU. Bit operations are in binary/bits.cpp.

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/binary/parts.h"
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
  add_bits_and_shifts(kernels);
}

}  // namespace lutra
