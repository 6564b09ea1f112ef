// The k largest of each line on cards: sorts whole lines.
#include "kernels/cuda/order.h"
#include "ops/sort.h"

namespace lutra::cuda {
namespace {

template <class T> void run_top_k(const KernelArgs& args) {
  const TopKAttrs& attrs = args.as<TopKAttrs>();
  const Array& x = args.in[0];
  if (x.size == 0 || attrs.k == 0) return;
  Extent extent = Extent::around(x.dims, x.rank, axis_of(attrs.axis, x.rank, -1));
  run_in_order<T>(static_cast<const CudaLaunch&>(args), extent, true, attrs.k, attrs.base.value, args.out[0].as<T>(),
                  args.out[1].as<int64_t>());
}
template <class T> std::size_t top_k_scratch(const KernelArgs& args) {
  return args.as<TopKAttrs>().k == 0 ? 0 : order_bytes<T>(args.in[0]);
}

}  // namespace

void register_top_k_cuda(CudaKernels& kernels) {
  kernels.add_each("TopKV2", AllTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_top_k<T>, .scratch = top_k_scratch<T>}; });
}

}  // namespace lutra::cuda
