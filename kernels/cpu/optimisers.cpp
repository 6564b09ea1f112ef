// Steps of optimisers on the CPU. The results may be the variable's and the slots' own memory, so each element is read
// before it is written and nothing else of the outputs is touched.

#include "kernels/cpu/optimisers.h"

namespace lutra {
namespace {

// Inputs are the variable, the gradient and the slots, outputs the variable and the slots.
template <class T, class Step> void run_step(const KernelArgs& args, const Step& step) {
  using C = ComputeType<T>;
  constexpr int kSlots = Step::kSlots;
  const T* variable = args.in[0].as<T>();
  const T* gradient = args.in[1].as<T>();
  T* result = args.out[0].as<T>();
  const T* slots[kSlots + 1] = {};
  T* new_slots[kSlots + 1] = {};
  for (int k = 0; k < kSlots; ++k) {
    slots[k] = args.in[k + 2].as<T>();
    new_slots[k] = args.out[k + 1].as<T>();
  }
  parallel_for(args.out[0].size, kCheapGrain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
    for (int64_t i = begin; i < end; ++i) {
      C w = static_cast<C>(variable[i]), s[kSlots + 1];
      for (int k = 0; k < kSlots; ++k) s[k] = static_cast<C>(slots[k][i]);
      step(w, static_cast<C>(gradient[i]), s);
      result[i] = static_cast<T>(w);
      for (int k = 0; k < kSlots; ++k) new_slots[k][i] = static_cast<T>(s[k]);
    }
  });
}

template <class T, class Op> void run_optimiser(const KernelArgs& args) {
  Op::template pick<ComputeType<T>>(args, [&](const auto& step) { run_step<T>(args, step); });
}

}  // namespace

void register_optimisers_cpu(KernelRegistry& kernels) {
  for_each_optimiser([&]<class Op>(const char* name) {
    kernels.add_each(name, DeviceType::CPU, AllFloats{},
                     [](auto tag) { return KernelEntry{.run = run_optimiser<typename decltype(tag)::type, Op>}; });
  });
}

}  // namespace lutra
