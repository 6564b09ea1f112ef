// Steps of optimisers on cards. The results may be the variable's and the slots' own memory: each thread reads an
// element before it writes it.
#include "kernels/cuda/element.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/element/optimisers.h"

namespace lutra::cuda {
namespace {

template <class T, class Step> struct StepArrays {
  const T* variable;
  Input<T> gradient;
  T* result;
  const T* slots[Step::kSlots + 1];
  T* new_slots[Step::kSlots + 1];
};

// Several variables, with their elements numbered as those of one array.
template <class T, class Step> struct StepBatch {
  StepArrays<T, Step> variables[kMostSteps];
  int64_t ends[kMostSteps];
  Input<T> scale;
  int count;
  bool scaled;
};

template <class T, class Step>
LUTRA_DEVICE void step_element(const Step& step, ComputeType<T> scale, const StepArrays<T, Step>& arrays, int64_t i) {
  using C = ComputeType<T>;
  C w = computed_in(arrays.variable[i]), s[Step::kSlots + 1];
  for (int k = 0; k < Step::kSlots; ++k) s[k] = computed_in(arrays.slots[k][i]);
  C g = computed_in(arrays.gradient.data != nullptr ? arrays.gradient.data[i] : arrays.gradient.number);
  step(w, g * scale, s);
  arrays.result[i] = rounded_to<T>(w);
  for (int k = 0; k < Step::kSlots; ++k) arrays.new_slots[k][i] = rounded_to<T>(s[k]);
}

template <class T, class Step>
LUTRA_GLOBAL void step_kernel(const Step step, const StepBatch<T, Step> batch, int64_t size) {
  using C = ComputeType<T>;
  const int64_t count = thread_count();
  C scale{1};
  if (batch.scaled) scale = computed_in(batch.scale.data != nullptr ? *batch.scale.data : batch.scale.number);
  int at = 0;  // a thread's elements come in order
  for (int64_t i = thread_index(); i < size; i += count) {
    while (i >= batch.ends[at]) ++at;
    step_element<T>(step, scale, batch.variables[at], at == 0 ? i : i - batch.ends[at - 1]);
  }
}

template <class T, class Op> void run_optimiser(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  Op::template pick<ComputeType<T>>(args, [&](const auto& step) {
    using Step = std::decay_t<decltype(step)>;
    constexpr int kIn = Step::kSlots + 2, kOut = Step::kSlots + 1;
    StepBatch<T, Step> batch{};
    batch.count = args.n_out / kOut;
    batch.scaled = args.as<StepAttrs>().scaled;
    if (batch.scaled) batch.scale = input_of<T>(args.in[args.n_in - 1]);
    int64_t size = 0;
    for (int i = 0; i < batch.count; ++i) {
      const Array *in = args.in + i * kIn, *out = args.out + i * kOut;
      StepArrays<T, Step>& arrays = batch.variables[i];
      arrays = {in[0].as<T>(), input_of<T>(in[1]), out[0].as<T>(), {}, {}};
      for (int k = 0; k < Step::kSlots; ++k) {
        arrays.slots[k] = in[k + 2].as<T>();
        arrays.new_slots[k] = out[k + 1].as<T>();
      }
      batch.ends[i] = size += out[0].size;
    }
    if (size == 0) return;
    launch(on, grid_for(on, size), step_kernel<T, Step>, step, batch, size);
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
