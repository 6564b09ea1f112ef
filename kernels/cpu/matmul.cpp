// Matrix products of batches: which matrix meets which; one product is gemm's.

#include "ops/matmul.h"

#include "core/parallel.h"
#include "kernels/cpu/gemm.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

// Finds the matrices of an operand under the result's batch axes.
class Batch {
 public:
  // `rank`: of the result's batch. An operand has its own batch axes at the end of those; where it has one of size 1,
  // or none, its matrix repeats.
  Batch(const Array& operand, const int64_t* dims, int rank) : dims_(dims), rank_(rank) {
    int own_rank = operand.rank > 2 ? operand.rank - 2 : 0;
    int64_t step = operand.rank > 1 ? operand.dims[operand.rank - 1] * operand.dims[operand.rank - 2] : operand.dims[0];
    for (int axis = rank - 1; axis >= 0; --axis) {
      int own = axis - (rank - own_rank);
      int64_t size = own >= 0 ? operand.dims[own] : 1;
      strides_[axis] = size == 1 ? 0 : step;
      step *= size;
    }
  }
  int64_t offset(int64_t product) const {
    int64_t offset = 0;
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      offset += product % dims_[axis] * strides_[axis];
      product /= dims_[axis];
    }
    return offset;
  }

 private:
  const int64_t* dims_;
  int rank_;
  int64_t strides_[kMaxRank];
};

template <class T> void run_matmul(const KernelArgs& args) {
  const Array& a = args.in[0];
  const Array& b = args.in[1];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  MatMulSizes sizes = matmul_sizes(args.as<MatMulAttrs>(), a.dims, a.rank, b.dims, b.rank);
  const T *x = a.as<T>(), *y = b.as<T>();
  T* to = out.as<T>();
  if (a.rank <= 2 && b.rank <= 2) return gemm(sizes, x, y, to);
  int64_t per_product = sizes.m * sizes.n;
  int64_t products = out.size / per_product;
  if (b.rank <= 2 && !sizes.transpose_a) {
    // All matrices of a meet the same b: they are one tall matrix.
    sizes.m *= products;
    return gemm(sizes, x, y, to);
  }
  int batch_rank = out.rank - (a.rank > 1) - (b.rank > 1);
  Batch batch_a(a, out.dims, batch_rank), batch_b(b, out.dims, batch_rank);
  auto multiply = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      gemm(sizes, x + batch_a.offset(i), y + batch_b.offset(i), to + i * per_product);
    }
  };
  // Threads share out small products; a large one is shared out by itself.
  double cost = multiplications(sizes);
  if (cost >= kParallelProduct) multiply(0, products);
  else parallel_for(products, 1 + static_cast<int64_t>(kParallelProduct / 4 / (cost + 16)), multiply);
}

}  // namespace

void register_matmul_cpu(KernelRegistry& kernels) {
  kernels.add_each("MatMul", DeviceType::CPU, ComputedNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_matmul<typename decltype(tag)::type>}; });
}

}  // namespace lutra
