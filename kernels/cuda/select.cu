// Selects values element by element, and sums lists of tensors, on cards.
#include "kernels/cuda/elementwise.h"
#include "kernels/element/arithmetic.h"

namespace lutra::cuda {
namespace {

// Up to kMost inputs of one shape at a time, from first to last.
template <class T> struct AddNArgs {
  static constexpr int kMost = 32;
  Input<T> in[kMost];
  int count;
  T* out;
  ComputeType<T>* sums;  // for halves, whose sum stays in float until the last; else null
  bool goes_on, is_last;
  int64_t size;
};
template <class T> LUTRA_GLOBAL void add_n_kernel(const AddNArgs<T> args) {
  using C = ComputeType<T>;
  auto value = [&](int i, int64_t at) {
    return computed_in(args.in[i].data != nullptr ? args.in[i].data[at] : args.in[i].number);
  };
  for (int64_t at = thread_index(); at < args.size; at += thread_count()) {
    C sum = !args.goes_on ? value(0, at) : args.sums != nullptr ? args.sums[at] : computed_in(args.out[at]);
    for (int i = args.goes_on ? 0 : 1; i < args.count; ++i) sum = Add::apply(sum, value(i, at));
    if (args.sums != nullptr && !args.is_last) args.sums[at] = sum;
    else args.out[at] = rounded_to<T>(sum);
  }
}
template <class T> std::size_t add_n_scratch(const KernelArgs& args) {
  bool waits = !std::is_same_v<T, ComputeType<T>> && args.n_in > AddNArgs<T>::kMost;
  return waits ? static_cast<std::size_t>(args.out[0].size) * sizeof(ComputeType<T>) : 0;
}
template <class T> void run_add_n(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const Array& out = args.out[0];
  for (int first = 0; first < args.n_in && out.size > 0 && on.error == 0; first += AddNArgs<T>::kMost) {
    AddNArgs<T> some{};
    some.count = std::min(AddNArgs<T>::kMost, args.n_in - first);
    for (int i = 0; i < some.count; ++i) some.in[i] = input_of<T>(args.in[first + i]);
    some.out = out.as<T>();
    if (add_n_scratch<T>(args) > 0) some.sums = reinterpret_cast<ComputeType<T>*>(args.scratch);
    some.goes_on = first > 0;
    some.is_last = first + some.count == args.n_in;
    some.size = out.size;
    launch(on, grid_for(on, out.size), add_n_kernel<T>, some);
  }
}

template <class E> void run_select(const KernelArgs& args) { run_elementwise<Select, E, uint8_t, E, E>(args); }

}  // namespace

void register_select_cuda(CudaKernels& kernels) {
  // Only bytes move, so there is one version per element size.
  kernels.add("SelectV2", kBool | DType::Int8 | DType::UInt8, {.run = run_select<uint8_t>});
  kernels.add("SelectV2", kHalves | DType::Int16, {.run = run_select<uint16_t>});
  kernels.add("SelectV2", DType::Int32 | DType::Float32, {.run = run_select<uint32_t>});
  kernels.add("SelectV2", DType::Int64 | DType::Float64, {.run = run_select<uint64_t>});
  kernels.add_each("ClipByValue", AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_elementwise<Clip, T, T, T, T>};
  });
  kernels.add_each("AddN", AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_add_n<T>, .scratch = add_n_scratch<T>};
  });
}

}  // namespace lutra::cuda
