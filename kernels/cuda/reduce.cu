// Sums, means, products, extremes and logic over axes on cards.
#include "kernels/cuda/reduce.h"

#include "kernels/element/reduce_ops.h"

namespace lutra::cuda {
namespace {

template <template <class> class Op, class Types> void add(CudaKernels& kernels, const char* name, Types types) {
  kernels.add_each(name, types, [](auto tag) { return cuda::reduction<Op<typename decltype(tag)::type>>(); });
}

}  // namespace

void register_reduce_cuda(CudaKernels& kernels) {
  add<Sum>(kernels, "Sum", AllTypes{});
  add<Prod>(kernels, "Prod", AllTypes{});
  add<Mean>(kernels, "Mean", AllFloats{});
  add<Max>(kernels, "Max", AllNumbers{});
  add<Min>(kernels, "Min", AllNumbers{});
  kernels.add("All", kBool, cuda::reduction<All>());
  kernels.add("Any", kBool, cuda::reduction<Any>());
}

}  // namespace lutra::cuda
