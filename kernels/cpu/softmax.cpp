// Softmax and its logarithm on the CPU, and their gradients.

#include "ops/softmax.h"
#include "kernels/cpu/loops/add_kernels.h"
#include "kernels/cpu/loops/row_sums.h"
#include "kernels/element/elementary.h"
#include "ops/axes.h"

namespace lutra {
namespace {

// A tensor as softmax sees it: the sizes before its axis, of it and after it.
Extent extent_of(const KernelArgs& args) {
  const Array& array = args.out[0];
  int axis = axis_of(args.as<SoftmaxAttrs>().axis, array.rank, -1);
  return Extent::around(array.dims, array.rank, axis);
}

// Narrower tiles than a reduction's: for thousands of rows, what the passes read stays in the L2 cache.
constexpr int64_t kColumns = 64;

// Calls row(first element) for each contiguous row; or tile(first element, columns) for up to kColumns columns of rows
// that are `inner` apart.
template <class Row, class Tile> void for_parts(const Extent& extent, const Row& row, const Tile& tile) {
  int64_t n = extent.size, inner = extent.inner;
  if (inner == 1) {
    parallel_for(extent.outer, row_grain(kCostlyGrain, n), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) row(i * n);
    });
    return;
  }
  int64_t tiles = (inner + kColumns - 1) / kColumns;
  parallel_for(extent.outer * tiles, row_grain(kCostlyGrain, n * std::min(inner, kColumns)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t item = begin; item < end; ++item) {
                   int64_t column = item % tiles * kColumns;
                   tile(item / tiles * n * inner + column, std::min(kColumns, inner - column));
                 }
               });
}

// The softmax, or its logarithm, of n contiguous elements. The powers are kept in the result if it has their type.
template <class T, bool kLog> void softmax_row(const T* x, int64_t n, T* __restrict out) {
  using C = ComputeType<T>;
  constexpr bool kKept = !kLog && std::is_same_v<T, C>;
  C room[kBlock];
  C most = MaxOf<C>::kStart;
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = std::min(kBlock, n - i);
    most = MaxOf<C>::merge(most, reduce_part<MaxOf<C>>(loaded(x + i, count, room), count));
  }
  double sum = 0;
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = std::min(kBlock, n - i);
    C* powers = room;
    if constexpr (kKept) powers = out + i;
    take_powers(x + i, count, most, powers);
    sum += reduce_part<SumOf<C>>(powers, count);
  }
  const C rest = static_cast<C>(kLog ? std::log(sum) : 1.0 / sum);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (kKept) out[i] *= rest;
    else if constexpr (kLog) out[i] = static_cast<T>((static_cast<C>(x[i]) - most) - rest);
    else out[i] = static_cast<T>(falling_exp(static_cast<C>(x[i]) - most) * rest);
  }
}

// The same for up to kColumns columns of `rows` elements, `stride` apart.
template <class T, bool kLog>
void softmax_columns(const T* x, int64_t rows, int64_t stride, int64_t columns, T* __restrict out) {
  using C = ComputeType<T>;
  constexpr bool kKept = !kLog && std::is_same_v<T, C>;
  C most[kColumns], rest[kColumns], run[kColumns];
  double sum[kColumns];
  for (int64_t k = 0; k < columns; ++k) {
    most[k] = MaxOf<C>::kStart;
    sum[k] = 0;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < columns; ++k) most[k] = MaxOf<C>::join(most[k], static_cast<C>(x[r * stride + k]));
  }
  for (int64_t first = 0; first < rows; first += kRun) {
    for (int64_t k = 0; k < columns; ++k) run[k] = 0;
    for (int64_t r = first; r < std::min(rows, first + kRun); ++r) {
      for (int64_t k = 0; k < columns; ++k) {
        C power = falling_exp(static_cast<C>(x[r * stride + k]) - most[k]);
        if constexpr (kKept) out[r * stride + k] = power;
        run[k] += power;
      }
    }
    for (int64_t k = 0; k < columns; ++k) sum[k] += static_cast<double>(run[k]);
  }
  for (int64_t k = 0; k < columns; ++k) rest[k] = static_cast<C>(kLog ? std::log(sum[k]) : 1.0 / sum[k]);
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = x + r * stride;
    T* to = out + r * stride;
    for (int64_t k = 0; k < columns; ++k) {
      if constexpr (kKept) to[k] *= rest[k];
      else if constexpr (kLog) to[k] = static_cast<T>((static_cast<C>(from[k]) - most[k]) - rest[k]);
      else to[k] = static_cast<T>(falling_exp(static_cast<C>(from[k]) - most[k]) * rest[k]);
    }
  }
}

// `kLog`: the logarithm.
template <class T, bool kLog> void run_softmax(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  Extent extent = extent_of(args);
  const T* x = args.in[0].as<T>();
  T* out = args.out[0].as<T>();
  for_parts(
      extent, [=](int64_t first) { softmax_row<T, kLog>(x + first, extent.size, out + first); },
      [=](int64_t first, int64_t columns) {
        softmax_columns<T, kLog>(x + first, extent.size, extent.inner, columns, out + first);
      });
}

// y (dy - sum(y dy)), or dy - e^y sum(dy) for the logarithm.
template <class C, bool kLog> C gradient_of(C y, C dy, C sum) {
  if constexpr (kLog) return dy - exp_of(y) * sum;
  else return y * (dy - sum);
}

template <class T, bool kLog> void run_softmax_grad(const KernelArgs& args) {
  using C = ComputeType<T>;
  if (args.out[0].size == 0) return;
  Extent extent = extent_of(args);
  const T *all_y = args.in[0].as<T>(), *all_dy = args.in[1].as<T>();
  T* to = args.out[0].as<T>();
  int64_t n = extent.size, inner = extent.inner;
  for_parts(
      extent,
      [=](int64_t first) {
        const T *y = all_y + first, *dy = all_dy + first;
        T* out = to + first;
        const C sum = static_cast<C>(kLog ? sum_of(dy, n) : sum_terms<C>(n, [=](int64_t i) {
          return static_cast<C>(y[i]) * static_cast<C>(dy[i]);
        }));
        for (int64_t i = 0; i < n; ++i) {
          out[i] = static_cast<T>(gradient_of<C, kLog>(static_cast<C>(y[i]), static_cast<C>(dy[i]), sum));
        }
      },
      [=](int64_t first, int64_t columns) {
        const T *y = all_y + first, *dy = all_dy + first;
        T* out = to + first;
        double sum[kColumns] = {};
        for (int64_t r = 0; r < n; ++r) {
          for (int64_t k = 0; k < columns; ++k) {
            double factor = kLog ? 1.0 : static_cast<double>(static_cast<C>(y[r * inner + k]));
            sum[k] += factor * static_cast<double>(static_cast<C>(dy[r * inner + k]));
          }
        }
        for (int64_t r = 0; r < n; ++r) {
          for (int64_t k = 0; k < columns; ++k) {
            int64_t i = r * inner + k;
            out[i] = static_cast<T>(
                gradient_of<C, kLog>(static_cast<C>(y[i]), static_cast<C>(dy[i]), static_cast<C>(sum[k])));
          }
        }
      });
}

template <class T> struct Softmax {
  static void run(const KernelArgs& args) { run_softmax<T, false>(args); }
};
template <class T> struct LogSoftmax {
  static void run(const KernelArgs& args) { run_softmax<T, true>(args); }
};
template <class T> struct SoftmaxGrad {
  static void run(const KernelArgs& args) { run_softmax_grad<T, false>(args); }
};
template <class T> struct LogSoftmaxGrad {
  static void run(const KernelArgs& args) { run_softmax_grad<T, true>(args); }
};

}  // namespace

void register_softmax_cpu(KernelRegistry& kernels) {
  add_kernels<Softmax>(kernels, "Softmax", AllFloats{});
  add_kernels<LogSoftmax>(kernels, "LogSoftmax", AllFloats{});
  add_kernels<SoftmaxGrad>(kernels, "SoftmaxGrad", AllFloats{});
  add_kernels<LogSoftmaxGrad>(kernels, "LogSoftmaxGrad", AllFloats{});
}

}  // namespace lutra
