// Diagonals and triangles of matrices on cards.
#include "kernels/element/element.h"
#include "ops/linalg.h"

#include "kernels/cuda/indexed.h"
#include "kernels/element/reducers.h"

namespace lutra::cuda {
namespace {

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

// Adds up in float64 or in 64 bits, from the first element to the last.
template <class T> struct Traces {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  Input<Stored<T>> x;
  int64_t size, columns, length;  // of a matrix, of its rows, of its diagonal
  LUTRA_DEVICE Out at(int64_t matrix) const {
    WideOf<T> sum = 0;
    for (int64_t d = 0; d < length; ++d) {
      auto value = computed_in(x.data != nullptr ? x.data[matrix * size + d * (columns + 1)] : x.number);
      sum += static_cast<WideOf<T>>(value);
    }
    if constexpr (std::is_integral_v<T>) return static_cast<Out>(sum);
    else return rounded_to<Out>(static_cast<ComputeType<Out>>(sum));
  }
};
template <class T> void run_trace(const KernelArgs& args) {
  const Array& x = args.in[0];
  int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  Traces<T> traces{input_of<Stored<T>>(x), rows * columns, columns, std::min(rows, columns)};
  run_indexed<typename Traces<T>::Out>(launch_of(args), traces);
}

// Writes a vector to the k-th diagonal of a matrix, or reads that diagonal. Only bytes move.
template <class E> struct OntoDiagonal {
  Input<E> x;
  Diagonal diagonal;
  int64_t columns;
  LUTRA_DEVICE E at(int64_t i) const {
    int64_t row = i / columns - diagonal.row, column = i % columns - diagonal.column;
    if (row != column || row < 0 || row >= diagonal.length) return E(0);
    return x.data != nullptr ? x.data[row] : x.number;
  }
};
template <class E> struct OutOfDiagonal {
  Input<E> x;
  int64_t first, step;
  LUTRA_DEVICE E at(int64_t i) const { return x.data != nullptr ? x.data[first + i * step] : x.number; }
};
void run_diag_of(const KernelArgs& args, int64_t k) {
  const Array& x = args.in[0];
  const int64_t* dims = x.rank == 1 ? args.out[0].dims : x.dims;
  Diagonal d = diagonal_of(dims[0], dims[1], k);
  by_size(size_of(x.dtype), [&]<class E>(TypeTag<E>) {
    if (x.rank == 1) return run_indexed<E>(launch_of(args), OntoDiagonal<E>{input_of<E>(x), d, dims[1]});
    run_indexed<E>(launch_of(args), OutOfDiagonal<E>{input_of<E>(x), d.row * dims[1] + d.column, dims[1] + 1});
  });
}
void run_diag(const KernelArgs& args) { run_diag_of(args, args.as<DiagonalAttrs>().k); }
void run_diag_grad(const KernelArgs& args) { run_diag_of(args, args.as<DiagonalOfAttrs>().k); }

template <class E, bool kUpper> struct Triangle {
  Input<E> x;
  int64_t rows, columns, k;
  LUTRA_DEVICE E at(int64_t i) const {
    int64_t row = i / columns % rows, column = i % columns;
    bool is_kept = kUpper ? column >= row + k : column <= row + k;
    return !is_kept ? E(0) : x.data != nullptr ? x.data[i] : x.number;
  }
};
template <bool kUpper> void run_triangle(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  // Any k past the corners keeps everything or nothing.
  int64_t k = std::clamp(args.as<DiagonalAttrs>().k, -rows - 1, columns + 1);
  by_size(size_of(x.dtype), [&]<class E>(TypeTag<E>) {
    run_indexed<E>(launch_of(args), Triangle<E, kUpper>{input_of<E>(x), rows, columns, k});
  });
}

}  // namespace

void register_linalg_cuda(CudaKernels& kernels) {
  kernels.add_each("Trace", AllTypes{}, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_trace<T>}; });
  kernels.add("Diag", kAnyDType, {.run = run_diag});
  kernels.add("DiagGrad", kFloats, {.run = run_diag_grad});
  kernels.add("Triu", kAnyDType, {.run = run_triangle<true>});
  kernels.add("Tril", kAnyDType, {.run = run_triangle<false>});
}

}  // namespace lutra::cuda
