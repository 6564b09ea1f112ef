// Updates of variables on the CPU. The result may be the variable's own memory, so each element is read before it is
// written and nothing else of the output is touched.

#include "kernels/cpu/loops/copy.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {
namespace {

// Integers wrap.
template <class T, bool adds> void run_update(const KernelArgs& args) {
  if (args.out[0].size >= kStreamedSize<T> && run_streamed(args, run_update<T, adds>)) return;
  const T* variable = args.in[0].as<T>();
  const T* value = args.in[1].as<T>();
  const bool is_number = args.in[1].size == 1;
  T* out = args.out[0].as<T>();
  parallel_for(args.out[0].size, kCheapGrain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
    for (int64_t i = begin; i < end; ++i) {
      using C = Wrapping<ComputeType<T>>;
      C step = static_cast<C>(value[is_number ? 0 : i]);
      C before = static_cast<C>(variable[i]);
      out[i] = static_cast<T>(static_cast<ComputeType<T>>(adds ? before + step : before - step));
    }
  });
}

}  // namespace

void register_variable_cpu(KernelRegistry& kernels) {
  kernels.add("AssignVariableOp", DeviceType::CPU, kEveryDType, {.run = run_convert});
  kernels.add_each("AssignAddVariableOp", DeviceType::CPU, EveryNumber{},
                   [](auto tag) { return KernelEntry{.run = run_update<typename decltype(tag)::type, true>}; });
  kernels.add_each("AssignSubVariableOp", DeviceType::CPU, EveryNumber{},
                   [](auto tag) { return KernelEntry{.run = run_update<typename decltype(tag)::type, false>}; });
}

}  // namespace lutra
