// Choosing among values element by element on cards.
#include "kernels/cpu/arithmetic.h"
#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {
namespace {

template <class E> void run_select(const KernelArgs& args) { run_elementwise<Select, E, uint8_t, E, E>(args); }

}  // namespace

void register_select_cuda(CudaKernels& kernels) {
  // Only bytes move: one version an element size.
  kernels.add("SelectV2", kBool | DType::Int8 | DType::UInt8, {.run = run_select<uint8_t>});
  kernels.add("SelectV2", kHalves | DType::Int16, {.run = run_select<uint16_t>});
  kernels.add("SelectV2", DType::Int32 | DType::Float32, {.run = run_select<uint32_t>});
  kernels.add("SelectV2", DType::Int64 | DType::Float64, {.run = run_select<uint64_t>});
  kernels.add_each("ClipByValue", AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_elementwise<Clip, T, T, T, T>};
  });
}

}  // namespace lutra::cuda
