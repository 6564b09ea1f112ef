// Bias, linear maps, dropout and embedding lookups on cards.
#include "ops/layers.h"

#include <cmath>

#include "kernels/cuda/gather.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/scatter.h"
#include "kernels/element/philox.h"

namespace lutra::cuda {
namespace {

template <class T> void linear(const KernelArgs& args, Room& room) {
  const Array &x = args.in[0], &w = args.in[1], &b = args.in[2], &out = args.out[0];
  if (out.size == 0) return;
  int64_t k = w.dims[0], n = w.dims[1], m = out.size / n;
  MatMulSizes sizes{
      .m = m, .n = n, .k = k, .k_of_b = k, .lda = k, .ldb = n, .transpose_a = false, .transpose_b = false};
  const T *rows = room.input<T>(x), *columns = room.input<T>(w), *bias = room.input<T>(b);
  Product product = product_of<T>(sizes, rows, columns, out.as<T>(), room, 1);
  product.bias = reinterpret_cast<const std::byte*>(bias);
  if (!room.counts()) multiply<T>(room.on(), product);
}

// One word of random bits per element, whatever its type: block i / 4, word i % 4. An element whose word is below the
// limit is dropped.
template <class T> struct DropoutArgs {
  Input<T> x;
  T* out;
  int64_t size;
  Rng rng;
  uint64_t limit;
  ComputeType<T> scale;
};
template <class T> LUTRA_GLOBAL void dropout_kernel(const DropoutArgs<T> args) {
  const int64_t blocks = (args.size + 3) / 4;
  for (int64_t block = thread_index(); block < blocks; block += thread_count()) {
    const PhiloxBlock bits = philox_block(args.rng.key, args.rng.counter + static_cast<uint64_t>(block));
    for (int w = 0; w < 4 && block * 4 + w < args.size; ++w) {
      const int64_t i = block * 4 + w;
      const ComputeType<T> x = computed_in(args.x.data != nullptr ? args.x.data[i] : args.x.number);
      // A dropped element is 0, even if it was inf or nan.
      args.out[i] = rounded_to<T>(bits.word[w] < args.limit ? ComputeType<T>(0) : x * args.scale);
    }
  }
}
template <class T> void run_dropout(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const DropoutAttrs& attrs = args.as<DropoutAttrs>();
  const Array& out = args.out[0];
  if (out.size == 0) return;
  DropoutArgs<T> dropout{input_of<T>(args.in[0]),
                         out.as<T>(),
                         out.size,
                         attrs.rng,
                         static_cast<uint64_t>(std::ceil(attrs.rate * 0x1p32)),
                         static_cast<ComputeType<T>>(1.0 / (1.0 - attrs.rate))};
  launch(on, grid_for(on, (out.size + 3) / 4), dropout_kernel<T>, dropout);
}

void run_embedding(const KernelArgs& args) {
  const Array& table = args.in[0];
  Numbers ids(args.in[1], args.as<EmbeddingAttrs>().base.value, table.dims[0]);
  gather_rows(args, ids, args.in[1].size, table.dims[0], product(table.dims, 1, table.rank));
}

// Sums are added up from the first id to the last.
template <class T> void run_embedding_grad(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Numbers ids(args.in[0], args.as<EmbeddingAttrs>().base.value, out.dims[0]);
  start_with_zeros<T>(on);
  add_rows(on, ids, args.in[0].size, args.in[1], out.as<T>(), 1, out.dims[0], out.size / out.dims[0], nullptr);
}
std::size_t embedding_grad_scratch(const KernelArgs& args) { return add_rows_bytes(args.in[0].size); }

}  // namespace

void register_layers_cuda(CudaKernels& kernels) {
  add_binary<Add>(kernels, "BiasAdd", AllNumbers{});
  kernels.add_products("Linear", AllNumbers{}, []<class T>(TypeTag<T>) { return in_room<linear<T>>(); });
  for (const char* name : {"Dropout", "DropoutGrad"}) {
    kernels.add_each(name, AllFloats{}, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_dropout<T>}; });
  }
  kernels.add("Embedding", kAnyDType, {.run = run_embedding});
  kernels.add_each("EmbeddingGrad", AllFloats{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_embedding_grad<T>, .scratch = embedding_grad_scratch};
  });
}

}  // namespace lutra::cuda
