// Combines elements at positions with updates on cards. Each element of the result gets its updates in the order of the
// indices.
#include "kernels/cuda/scatter.h"
#include "kernels/element/arithmetic.h"
#include "ops/index.h"

namespace lutra::cuda {
namespace {

int64_t rows_of(const Array& indices) { return product(indices.dims, 0, indices.rank - 1); }
std::size_t scratch_of_rows(const KernelArgs& args) { return add_rows_bytes(rows_of(args.in[1])); }

template <class T, class How> void combine(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  NdPlaces places(args.in[1], args.as<IndexAttrs>().base.value, x.dims);
  // x and out share memory when a variable is updated in place.
  if (x.size > 0 && (x.immediate || out.data != x.data)) run_copy(args);
  add_rows<How>(on, places, rows_of(args.in[1]), args.in[2], out.as<T>(), 1, places.parts(),
                product(x.dims, static_cast<int>(places.depth), x.rank), on.slot);
}

// Only bytes move, so there is one version per element size.
void run_update(const KernelArgs& args) {
  by_size(size_of(args.out[0].dtype), [&]<class E>(TypeTag<E>) { combine<E, LastUpdate>(args); });
}

template <class How> void add_combine(CudaKernels& kernels, const char* op) {
  kernels.add_each(op, AllNumbers{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = combine<T, How>, .scratch = scratch_of_rows}; });
}

}  // namespace

void register_scatter_nd_cuda(CudaKernels& kernels) {
  kernels.add("TensorScatterUpdate", kAnyDType, {.run = run_update, .scratch = scratch_of_rows});
  add_combine<Add>(kernels, "TensorScatterAdd");
  add_combine<Maximum>(kernels, "TensorScatterMax");
  add_combine<Minimum>(kernels, "TensorScatterMin");
}

}  // namespace lutra::cuda
