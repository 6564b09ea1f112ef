// Sums, means, products, extremes and logic over axes on the CPU.

#include "ops/reduce.h"

#include "kernels/cpu/paired_prod.h"
#include "kernels/cpu/reduce_axes.h"
#include "kernels/cpu/reduce_ops.h"

namespace lutra {
namespace {

template <class Op> constexpr KernelEntry entry = reduction<Op>();

#if defined(__AVX512F__)
// Of few elements a second look at their axes takes longer than multiplying them in pairs saves.
bool is_paired(const KernelArgs& args) {
  if (args.in[0].size < 4 * kBlock) return false;
  ReducePlan plan = ReducePlan::of(args);
  return plan.stages == 1 && is_paired(plan.stage[0]);
}

std::size_t float_prod_scratch(const KernelArgs& args) {
  if (!is_paired(args)) return reduce_scratch<Prod<float>>(args);
  return paired_scratch(ReducePlan::of(args).stage[0]);
}

void run_float_prod(const KernelArgs& args) {
  if (!is_paired(args)) return run_reduction<Prod<float>>(args);
  multiply_rows(args.in[0].as<float>(), ReducePlan::of(args).stage[0], reinterpret_cast<Bounds*>(args.scratch),
                args.out[0].as<float>());
}

template <> constexpr KernelEntry entry<Prod<float>>{.run = run_float_prod, .scratch = float_prod_scratch};
#endif

template <template <class> class Op, class Types> void add(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) { return entry<Op<typename decltype(tag)::type>>; });
}

}  // namespace

void register_reduce_cpu(KernelRegistry& kernels) {
  add<Sum>(kernels, "Sum", AllTypes{});
  add<Prod>(kernels, "Prod", AllTypes{});
  add<Mean>(kernels, "Mean", AllFloats{});
  add<Max>(kernels, "Max", AllNumbers{});
  add<Min>(kernels, "Min", AllNumbers{});
  kernels.add("All", DeviceType::CPU, kBool, reduction<All>());
  kernels.add("Any", DeviceType::CPU, kBool, reduction<Any>());
}

}  // namespace lutra
