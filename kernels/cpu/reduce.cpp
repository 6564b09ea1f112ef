// Sums, means, products, extremes and logic over axes on the CPU.

#include "ops/reduce.h"

#include "kernels/cpu/loops/reduce_axes.h"
#include "kernels/element/reduce_ops.h"

namespace lutra {
namespace {

template <template <class> class Op, class Types> void add(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types,
                   [](auto tag) { return reduction<Op<typename decltype(tag)::type>>(); });
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
