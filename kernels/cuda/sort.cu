// Sorting on cards, line by line along an axis.
#include "ops/sort.h"

#include "kernels/cuda/order.h"

namespace lutra::cuda {
namespace {

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

Extent along(const KernelArgs& args, const Axes& axis) {
  const Array& x = args.in[0];
  if (x.rank == 0) return {1, 1, 1};
  return Extent::around(x.dims, x.rank, axis_of(axis, x.rank, -1));
}

template <class T> void run_sort(const KernelArgs& args) {
  const SortAttrs& attrs = args.as<SortAttrs>();
  Extent extent = along(args, attrs.axis);
  run_in_order<T>(launch_of(args), extent, attrs.descending, extent.size, 0, args.out[0].as<T>(), nullptr);
}
template <class T> void run_argsort(const KernelArgs& args) {
  const ArgsortAttrs& attrs = args.as<ArgsortAttrs>();
  Extent extent = along(args, attrs.axis);
  run_in_order<T>(launch_of(args), extent, attrs.descending, extent.size, attrs.base.value, nullptr,
                  args.out[0].as<int64_t>());
}
template <class T> std::size_t scratch(const KernelArgs& args) { return order_bytes<T>(args.in[0]); }

}  // namespace

void register_sort_cuda(CudaKernels& kernels) {
  kernels.add_each("Sort", AllTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_sort<T>, .scratch = scratch<T>}; });
  kernels.add_each("Argsort", AllTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_argsort<T>, .scratch = scratch<T>}; });
}

}  // namespace lutra::cuda
