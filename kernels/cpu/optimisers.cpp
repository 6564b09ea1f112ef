// Steps of optimisers on the CPU. The results may be the variable's and the slots' own memory, so each element is read
// before it is written and nothing else of the outputs is touched.

#include "kernels/element/optimisers.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {
namespace {

// Elements [begin, end) of a variable, its gradient and its slots. Everything that the loop reads is in local
// variables: otherwise its stores might alias the step's numbers, and it would not vectorise.
template <class T, class Step>
void step_range(const Step& given, ComputeType<T> scale, const Array* in, const Array* out, int64_t begin,
                int64_t end) {
  using C = ComputeType<T>;
  constexpr int kSlots = Step::kSlots;
  const Step step = given;
  const T *variable = in[0].as<T>(), *gradient = in[1].as<T>();
  T* result = out[0].as<T>();
  const T *slot0 = nullptr, *slot1 = nullptr, *slot2 = nullptr;
  T *new0 = nullptr, *new1 = nullptr, *new2 = nullptr;
  if constexpr (kSlots > 0) slot0 = in[2].as<T>(), new0 = out[1].as<T>();
  if constexpr (kSlots > 1) slot1 = in[3].as<T>(), new1 = out[2].as<T>();
  if constexpr (kSlots > 2) slot2 = in[4].as<T>(), new2 = out[3].as<T>();
#pragma GCC ivdep
  for (int64_t i = begin; i < end; ++i) {
    C w = static_cast<C>(variable[i]), s[3] = {};
    if constexpr (kSlots > 0) s[0] = static_cast<C>(slot0[i]);
    if constexpr (kSlots > 1) s[1] = static_cast<C>(slot1[i]);
    if constexpr (kSlots > 2) s[2] = static_cast<C>(slot2[i]);
    step(w, static_cast<C>(gradient[i]) * scale, s);
    result[i] = static_cast<T>(w);
    if constexpr (kSlots > 0) new0[i] = static_cast<T>(s[0]);
    if constexpr (kSlots > 1) new1[i] = static_cast<T>(s[1]);
    if constexpr (kSlots > 2) new2[i] = static_cast<T>(s[2]);
  }
}

// The variables' elements are divided among threads as if they were one array.
template <class T, class Step> void run_step(const KernelArgs& args, const Step& step) {
  constexpr int kIn = Step::kSlots + 2, kOut = Step::kSlots + 1;
  const int count = args.n_out / kOut;
  using C = ComputeType<T>;
  const C scale = args.as<StepAttrs>().scaled ? static_cast<C>(*args.in[args.n_in - 1].as<T>()) : C{1};
  int64_t total = 0;
  for (int i = 0; i < count; ++i) total += args.out[i * kOut].size;
  parallel_for(total, kCheapGrain, [&](int64_t begin, int64_t end) {
    int64_t first = 0;  // the first element of variable i
    for (int i = 0; i < count && first < end; ++i) {
      const int64_t size = args.out[i * kOut].size;
      const int64_t from = std::max(begin - first, int64_t{0}), to = std::min(end - first, size);
      if (from < to) step_range<T>(step, scale, args.in + i * kIn, args.out + i * kOut, from, to);
      first += size;
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
