// Matrix products of batches: finds the matrices that are multiplied; gemm computes each product.

#include "ops/matmul.h"

#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/loops/widen.h"
#include "kernels/indexing/batch.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

template <class T> void multiply_batch(const KernelArgs& args, const T* x, const T* y, T* to) {
  const Array& a = args.in[0];
  const Array& b = args.in[1];
  const Array& out = args.out[0];
  MatMulSizes sizes = matmul_sizes(args.as<MatMulAttrs>(), a.dims, a.rank, b.dims, b.rank);
  if (a.rank <= 2 && b.rank <= 2) return gemm(sizes, x, y, to);
  int64_t per_product = sizes.m * sizes.n;
  int64_t products = out.size / per_product;
  if (b.rank <= 2 && !sizes.transpose_a) {
    // All matrices of a are multiplied by the same b: they are one tall matrix.
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
  for_products(products, sizes, multiply);
}

template <class T> void run_matmul(const KernelArgs& args) {
  const Array& a = args.in[0];
  const Array& b = args.in[1];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  if constexpr (kIsNarrow<T>) {
    using C = Widened<T>;
    C* x = reinterpret_cast<C*>(args.scratch);
    C* y = reinterpret_cast<C*>(args.scratch + widened_bytes(a.size, sizeof(C)));
    C* to = reinterpret_cast<C*>(args.scratch + widened_bytes(a.size, sizeof(C)) + widened_bytes(b.size, sizeof(C)));
    convert_each(a.as<T>(), x, a.size);
    convert_each(b.as<T>(), y, b.size);
    multiply_batch<C>(args, x, y, to);
    convert_each(to, out.as<T>(), out.size);
  } else {
    multiply_batch<T>(args, a.as<T>(), b.as<T>(), out.as<T>());
  }
}

// Both operands and the result, widened.
template <class T> std::size_t matmul_scratch(const KernelArgs& args) {
  using C = Widened<T>;
  return widened_bytes(args.in[0].size, sizeof(C)) + widened_bytes(args.in[1].size, sizeof(C)) +
         widened_bytes(args.out[0].size, sizeof(C));
}

}  // namespace

void register_matmul_cpu(KernelRegistry& kernels) {
  kernels.add_each("MatMul", DeviceType::CPU, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_matmul<T>, .scratch = kIsNarrow<T> ? matmul_scratch<T> : nullptr};
  });
}

}  // namespace lutra
