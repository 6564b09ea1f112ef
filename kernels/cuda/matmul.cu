// Matrix products of batches on cards: finds the matrices that are multiplied.
#include "ops/matmul.h"

#include "kernels/cuda/products.h"
#include "kernels/indexing/batch.h"

namespace lutra::cuda {
namespace {

template <class T> void matmul(const KernelArgs& args, Room& room) {
  const Array &a = args.in[0], &b = args.in[1], &out = args.out[0];
  if (out.size == 0) return;
  MatMulSizes sizes = matmul_sizes(args.as<MatMulAttrs>(), a.dims, a.rank, b.dims, b.rank);
  Walk batch;
  if (b.rank <= 2 && !sizes.transpose_a) {
    // All matrices of a are multiplied by the same b: they are one tall matrix.
    sizes.m = out.size / sizes.n;
  } else {
    int rank = out.rank - (a.rank > 1) - (b.rank > 1);
    Batch batch_a(a, out.dims, rank), batch_b(b, out.dims, rank);
    for (int axis = rank; axis-- > 0;) {
      if (out.dims[axis] != 1) batch.push(out.dims[axis], batch_a.stride(axis), batch_b.stride(axis));
    }
  }
  const T *x = room.input<T>(a), *y = room.input<T>(b);
  Product product = product_of<T>(sizes, x, y, out.as<T>(), room, batch.count);
  if (!room.counts()) multiply_batch<T>(room.on(), product, batch);
}

}  // namespace

void register_matmul_cuda(CudaKernels& kernels) {
  kernels.add_products("MatMul", AllNumbers{}, []<class T>(TypeTag<T>) { return in_room<matmul<T>>(); });
}

}  // namespace lutra::cuda
