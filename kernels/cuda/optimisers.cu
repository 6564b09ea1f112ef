// Steps of optimisers on cards. The results may be the variable's and the slots' own memory: each thread reads what it
// writes first.
#include "kernels/cpu/optimisers.h"
#include "kernels/cuda/element.h"
#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {
namespace {

template <class T, class Step> struct StepArrays {
  const T* variable;
  Input<T> gradient;
  T* result;
  const T* slots[Step::kSlots + 1];
  T* new_slots[Step::kSlots + 1];
};

template <class T, class Step>
LUTRA_GLOBAL void step_kernel(const Step step, const StepArrays<T, Step> arrays, int64_t size) {
  using C = ComputeType<T>;
  const int64_t count = thread_count();
  for (int64_t i = thread_index(); i < size; i += count) {
    C w = computed_in(arrays.variable[i]), s[Step::kSlots + 1];
    for (int k = 0; k < Step::kSlots; ++k) s[k] = computed_in(arrays.slots[k][i]);
    step(w, computed_in(arrays.gradient.data != nullptr ? arrays.gradient.data[i] : arrays.gradient.number), s);
    arrays.result[i] = rounded_to<T>(w);
    for (int k = 0; k < Step::kSlots; ++k) arrays.new_slots[k][i] = rounded_to<T>(s[k]);
  }
}

template <class T, class Op> void run_optimiser(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const int64_t size = args.out[0].size;
  if (size == 0) return;
  Op::template pick<ComputeType<T>>(args, [&](const auto& step) {
    using Step = std::decay_t<decltype(step)>;
    StepArrays<T, Step> arrays{args.in[0].as<T>(), input_of<T>(args.in[1]), args.out[0].as<T>(), {}, {}};
    for (int k = 0; k < Step::kSlots; ++k) {
      arrays.slots[k] = args.in[k + 2].as<T>();
      arrays.new_slots[k] = args.out[k + 1].as<T>();
    }
    launch(on, grid_for(on, size), step_kernel<T, Step>, step, arrays, size);
  });
}

}  // namespace

void register_optimisers_cuda(CudaKernels& kernels) {
  for_each_optimiser([&]<class Op>(const char* name) {
    kernels.add_each(name, AllFloats{},
                     [](auto tag) { return KernelEntry{.run = run_optimiser<typename decltype(tag)::type, Op>}; });
  });
}

}  // namespace lutra::cuda
