// Ops of neural networks on the CPU.

#include "ops/nn.h"

#include "kernels/cpu/elementary.h"
#include "kernels/cpu/reduce.h"

namespace lutra {
namespace {

// `count` rows of n elements, one behind the other. A row's sum is taken block by block, as Sum would.
template <class T> void softmax_rows(const T* __restrict x, T* __restrict out, int64_t count, int64_t n) {
  for (int64_t row = 0; row < count; ++row, x += n, out += n) {
    T most = MaxOf<T>::kStart;
    for (int64_t i = 0; i < n; i += kBlock) {
      most = MaxOf<T>::merge(most, reduce_block<MaxOf<T>>(x + i, std::min(kBlock, n - i)));
    }
    double sum = 0;
    for (int64_t i = 0; i < n; i += kBlock) {
      int64_t end = std::min(n, i + kBlock);
      for (int64_t k = i; k < end; ++k) out[k] = exp_of(x[k] - most);
      sum += reduce_block<SumOf<T>>(out + i, end - i);
    }
    T scale = static_cast<T>(1.0 / sum);
    for (int64_t i = 0; i < n; ++i) out[i] *= scale;
  }
}

// `columns` <= kTile columns of `rows` rows, `stride` apart.
template <class T>
void softmax_columns(const T* __restrict x, T* __restrict out, int64_t rows, int64_t stride,
                                int64_t columns) {
  T most[kTile], scale[kTile], run[kTile];
  double sum[kTile];
  for (int64_t k = 0; k < columns; ++k) {
    most[k] = MaxOf<T>::kStart;
    sum[k] = 0;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < columns; ++k) most[k] = MaxOf<T>::join(most[k], x[r * stride + k]);
  }
  for (int64_t first = 0; first < rows; first += kRun) {
    for (int64_t k = 0; k < columns; ++k) run[k] = 0;
    for (int64_t r = first; r < std::min(rows, first + kRun); ++r) {
      for (int64_t k = 0; k < columns; ++k) {
        T power = exp_of(x[r * stride + k] - most[k]);
        out[r * stride + k] = power;
        run[k] += power;
      }
    }
    for (int64_t k = 0; k < columns; ++k) sum[k] += static_cast<double>(run[k]);
  }
  for (int64_t k = 0; k < columns; ++k) scale[k] = static_cast<T>(1.0 / sum[k]);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < columns; ++k) out[r * stride + k] *= scale[k];
  }
}

template <class T> void run_softmax(const KernelArgs& args) {
  const Array& array = args.out[0];
  if (array.size == 0) return;
  int axis = softmax_axis(args.as<SoftmaxAttrs>(), array.rank);
  int64_t n = array.dims[axis], inner = 1;
  for (int i = axis + 1; i < array.rank; ++i) inner *= array.dims[i];
  const T* x = args.in[0].as<T>();
  T* out = array.as<T>();
  if (inner == 1) {
    parallel_for(array.size / n, row_grain(kCostlyGrain, n),
                 [=](int64_t begin, int64_t end) { softmax_rows(x + begin * n, out + begin * n, end - begin, n); });
    return;
  }
  // Narrower tiles than a reduction's: what the three passes read stays in the second cache for rows by the thousand.
  constexpr int64_t kColumns = 64;
  int64_t tiles = (inner + kColumns - 1) / kColumns, outer = array.size / (n * inner);
  parallel_for(outer * tiles, row_grain(kCostlyGrain, n * std::min(inner, kColumns)), [=](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t column = item % tiles * kColumns, first = item / tiles * n * inner + column;
      softmax_columns(x + first, out + first, n, inner, std::min(kColumns, inner - column));
    }
  });
}

}  // namespace

void register_nn_cpu(KernelRegistry& kernels) {
  kernels.add_each("Softmax", DeviceType::CPU, ComputedFloats{},
                   [](auto tag) { return KernelEntry{.run = run_softmax<typename decltype(tag)::type>}; });
}

}  // namespace lutra
