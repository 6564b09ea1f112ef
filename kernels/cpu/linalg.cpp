// Diagonals and triangles of matrices. Matrix products are in einsum.cpp, factorisations in factorise.cpp.

#include "ops/linalg.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/elementwise.h"

namespace lutra {
namespace {

// Adds up in float64 or in 64 bits, from the first element to the last.
template <class T, class Out> void run_trace(const KernelArgs& args) {
  const Array& x = args.in[0];
  int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  int64_t length = std::min(rows, columns);
  Out* out = args.out[0].as<Out>();
  parallel_for(args.out[0].size, row_grain(kCheapGrain, length), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* matrix = x.as<T>() + i * rows * columns;
      std::conditional_t<std::is_same_v<Out, int64_t>, uint64_t, double> sum = 0;
      for (int64_t d = 0; d < length; ++d) {
        if constexpr (std::is_same_v<Out, int64_t>) sum += static_cast<uint64_t>(matrix[d * (columns + 1)]);
        else sum += static_cast<double>(static_cast<ComputeType<T>>(matrix[d * (columns + 1)]));
      }
      if constexpr (std::is_same_v<Out, int64_t>) out[i] = static_cast<int64_t>(sum);
      else out[i] = static_cast<Out>(static_cast<ComputeType<Out>>(sum));
    }
  });
}

template <class E> void copy_each(int64_t count, const E* from, int64_t from_step, E* to, int64_t to_step) {
  for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
}

// Writes a vector to the k-th diagonal of a matrix, or reads that diagonal. Only bytes move.
template <class E> void run_diag_of(const KernelArgs& args, int64_t k) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  bool makes_matrix = x.rank == 1;
  const int64_t* dims = makes_matrix ? out.dims : x.dims;
  Diagonal d = diagonal_of(dims[0], dims[1], k);
  int64_t first = d.row * dims[1] + d.column, step = dims[1] + 1;
  if (makes_matrix) {
    E* to = out.as<E>();
    parallel_for(out.size, kCheapGrain, [=](int64_t begin, int64_t end) {
      std::memset(to + begin, 0, static_cast<std::size_t>(end - begin) * sizeof(E));
    });
    copy_each(d.length, x.as<E>(), 1, to + first, step);
  } else {
    copy_each(d.length, x.as<E>() + first, step, out.as<E>(), 1);
  }
}

template <bool kUpper, class E> void run_triangle_of(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  // Any k past the corners keeps everything or nothing.
  int64_t k = std::clamp(args.as<DiagonalAttrs>().k, -rows - 1, columns + 1);
  parallel_for(x.size / columns, row_grain(kCheapGrain, columns), [=, &args](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const E* from = x.as<E>() + row * columns;
      E* to = args.out[0].as<E>() + row * columns;
      // Elements before `edge` are below the k-th diagonal; for tril, those from `edge` on are above it.
      int64_t edge = std::clamp(row % rows + k + (kUpper ? 0 : 1), int64_t{0}, columns);
      int64_t size = static_cast<int64_t>(sizeof(E)), before = edge * size, after = (columns - edge) * size;
      if (kUpper) {
        std::memset(to, 0, static_cast<std::size_t>(before));
        copy_bytes(to + edge, from + edge, after);
      } else {
        copy_bytes(to, from, before);
        std::memset(to + edge, 0, static_cast<std::size_t>(after));
      }
    }
  });
}

void run_diag(const KernelArgs& args) {
  by_size(size_of(args.in[0].dtype),
          [&]<class Tag>(Tag) { run_diag_of<typename Tag::type>(args, args.as<DiagonalAttrs>().k); });
}
void run_diag_grad(const KernelArgs& args) {
  by_size(size_of(args.in[0].dtype),
          [&]<class Tag>(Tag) { run_diag_of<typename Tag::type>(args, args.as<DiagonalOfAttrs>().k); });
}
template <bool kUpper> void run_triangle(const KernelArgs& args) {
  by_size(size_of(args.in[0].dtype), [&]<class Tag>(Tag) { run_triangle_of<kUpper, typename Tag::type>(args); });
}

}  // namespace

void register_linalg_cpu(KernelRegistry& kernels) {
  kernels.add_each("Trace", DeviceType::CPU, AllTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_trace<T, std::conditional_t<std::is_integral_v<T>, int64_t, T>>};
  });
  kernels.add("Diag", DeviceType::CPU, kEveryDType, {.run = run_diag});
  kernels.add("DiagGrad", DeviceType::CPU, kInexact, {.run = run_diag_grad});
  kernels.add("Triu", DeviceType::CPU, kEveryDType, {.run = run_triangle<true>});
  kernels.add("Tril", DeviceType::CPU, kEveryDType, {.run = run_triangle<false>});
}

}  // namespace lutra
