// Matrix products: of floats by cuBLASLt, called through CudaHost; of integers, which wrap, by a kernel of our own.
#pragma once

#include "kernels/cuda/kernel_list.h"
#include "kernels/cuda/room.h"
#include "kernels/indexing/contraction.h"

namespace lutra::cuda {

// ---- integers: a block multiplies kTile rows by kTile columns, kDepth terms at a time; a thread has kSide^2 sums
// Sums have as many bits as the result, since higher bits are lost by wrapping anyway.

// In as many bits as hold the result's: the others wrap away.
template <class T> using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T> struct IntegerProduct {
  const T *a, *b, *bias;
  T* c;
  int64_t m, n, k;
  int64_t row_a, column_a, row_b, column_b, ldc;  // steps in elements
  int64_t step_a, step_b, step_c;                 // of the batch
  int64_t tiles_m, tiles_n, tiles;
};

template <class T> LUTRA_GLOBAL void integer_product(const IntegerProduct<T> p) {
  using Sum = Wrapping<T>;
  constexpr int kTile = 64, kDepth = 16, kSide = 4, kThreadsAcross = kTile / kSide;
  struct Sums {
    Sum of[kSide][kSide];
  };
  LUTRA_SHARED Sum left[kDepth][kTile + 1];
  LUTRA_SHARED Sum right[kDepth][kTile + 1];
  for (int64_t tile = block_index(); tile < p.tiles; tile += block_count()) {
    const int64_t first_row = tile / p.tiles_n % p.tiles_m * kTile, first_column = tile % p.tiles_n * kTile;
    const int64_t matrix = tile / (p.tiles_m * p.tiles_n);
    const T *a = p.a + matrix * p.step_a, *b = p.b + matrix * p.step_b;
    Kept<Sums> kept;
    for_threads([&](int t) { kept.of(t) = Sums{}; });
    for (int64_t depth = 0; depth < p.k; depth += kDepth) {
      for_threads([&](int t) {
        for (int i = t; i < kTile * kDepth; i += kBlockThreads) {
          // Neighbouring threads read neighbouring elements, whichever way a matrix lies.
          int row = p.column_a == 1 ? i / kDepth : i % kTile, term = p.column_a == 1 ? i % kDepth : i / kTile;
          bool is_there = first_row + row < p.m && depth + term < p.k;
          left[term][row] =
              is_there ? static_cast<Sum>(a[(first_row + row) * p.row_a + (depth + term) * p.column_a]) : Sum(0);
          int column = p.row_b == 1 ? i / kDepth : i % kTile;
          term = p.row_b == 1 ? i % kDepth : i / kTile;
          is_there = first_column + column < p.n && depth + term < p.k;
          right[term][column] =
              is_there ? static_cast<Sum>(b[(depth + term) * p.row_b + (first_column + column) * p.column_b]) : Sum(0);
        }
      });
      for_threads([&](int t) {
        Sums& sums = kept.of(t);
        const int row = t / kThreadsAcross, column = t % kThreadsAcross;
        for (int term = 0; term < kDepth; ++term) {
          for (int i = 0; i < kSide; ++i) {
            for (int j = 0; j < kSide; ++j) {
              sums.of[i][j] += left[term][row + i * kThreadsAcross] * right[term][column + j * kThreadsAcross];
            }
          }
        }
      });
    }
    for_threads([&](int t) {
      const Sums& sums = kept.of(t);
      for (int i = 0; i < kSide; ++i) {
        for (int j = 0; j < kSide; ++j) {
          int64_t row = first_row + t / kThreadsAcross + i * kThreadsAcross;
          int64_t column = first_column + t % kThreadsAcross + j * kThreadsAcross;
          if (row >= p.m || column >= p.n) continue;
          Sum sum = sums.of[i][j] + (p.bias != nullptr ? static_cast<Sum>(p.bias[column]) : Sum(0));
          p.c[matrix * p.step_c + row * p.ldc + column] = static_cast<T>(sum);
        }
      }
    });
  }
}

template <class T> void multiply_integers(const CudaLaunch& on, const Product& p) {
  constexpr int64_t kTile = 64;
  IntegerProduct<T> args{};
  args.a = reinterpret_cast<const T*>(p.a);
  args.b = reinterpret_cast<const T*>(p.b);
  args.bias = reinterpret_cast<const T*>(p.bias);
  args.c = reinterpret_cast<T*>(p.c);
  args.m = p.m;
  args.n = p.n;
  args.k = p.k;
  args.row_a = p.transpose_a ? 1 : p.lda;
  args.column_a = p.transpose_a ? p.lda : 1;
  args.row_b = p.transpose_b ? 1 : p.ldb;
  args.column_b = p.transpose_b ? p.ldb : 1;
  args.ldc = p.ldc;
  args.step_a = p.step_a;
  args.step_b = p.step_b;
  args.step_c = p.step_c;
  args.tiles_m = (p.m + kTile - 1) / kTile;
  args.tiles_n = (p.n + kTile - 1) / kTile;
  args.tiles = args.tiles_m * args.tiles_n * p.batch;
  launch_blocks(on, args.tiles, integer_product<T>, args);
}

// ---- for products over no terms, and for a bias that cuBLASLt does not add

template <class T> struct RowsArgs {
  T* c;
  const T* bias;
  int64_t n, ldc, per_matrix, step_c, size;
};
// c = bias, or c += bias.
template <class T, bool kAdds> LUTRA_GLOBAL void bias_kernel(const RowsArgs<T> args) {
  for (int64_t at = thread_index(); at < args.size; at += thread_count()) {
    const int64_t within = at % args.per_matrix, column = within % args.n;
    T& c = args.c[at / args.per_matrix * args.step_c + within / args.n * args.ldc + column];
    if constexpr (kAdds) c = rounded_to<T>(computed_in(c) + computed_in(args.bias[column]));
    else c = args.bias != nullptr ? args.bias[column] : T(0);
  }
}
template <class T, bool kAdds> void run_bias(const CudaLaunch& on, const Product& p) {
  RowsArgs<T> args{reinterpret_cast<T*>(p.c), reinterpret_cast<const T*>(p.bias), p.n, p.ldc, p.m * p.n, p.step_c,
                   p.m * p.n * p.batch};
  launch(on, grid_for(on, args.size), bias_kernel<T, kAdds>, args);
}

// ---- on the host

// Memory that cuBLASLt may use besides the matrices, to divide a long sum among many blocks: as much as the matrices
// have, so that it does not use up a memory limit, at most 32 MiB, and none if there is little to divide.
inline std::size_t workspace_bytes(double elements, std::size_t element_bytes) {
  constexpr double kLeast = 1 << 20, kMost = 32 << 20;
  double bytes = elements * static_cast<double>(element_bytes);
  return bytes < kLeast ? 0 : static_cast<std::size_t>(std::min(bytes, kMost));
}
template <class T> std::size_t workspace_bytes(const MatMulSizes& s, int64_t products) {
  if (std::is_integral_v<T>) return 0;
  double m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
  return workspace_bytes((m * k + k * n + m * n) * static_cast<double>(products), sizeof(T));
}

// One product of T, c contiguous.
template <class T>
Product product_of(const MatMulSizes& s, const T* a, const T* b, T* c, Room& room, int64_t products) {
  Product p{.operands = dtype_of<T>, .result = dtype_of<T>};
  p.transpose_a = s.transpose_a;
  p.transpose_b = s.transpose_b;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  p.lda = s.lda;
  p.ldb = s.ldb;
  p.ldc = s.n;
  p.a = reinterpret_cast<const std::byte*>(a);
  p.b = reinterpret_cast<const std::byte*>(b);
  p.c = reinterpret_cast<std::byte*>(c);
  p.workspace_bytes = workspace_bytes<T>(s, products);
  p.workspace = room.take(p.workspace_bytes);
  return p;
}

// cuBLASLt takes batches below 2^16. With a power of two, the matrices of every chunk are aligned as the first are.
inline constexpr int64_t kMostProducts = 1 << 15;

// Queues a product of T, with results in R: T or, for halves, float.
template <class T, class R = T> void multiply(const CudaLaunch& on, Product p) {
  for (; !std::is_integral_v<R> && p.batch > kMostProducts && on.error == 0; p.batch -= kMostProducts) {
    Product part = p;
    part.batch = kMostProducts;
    multiply<T, R>(on, part);
    p.a += kMostProducts * p.step_a * static_cast<int64_t>(sizeof(T));
    p.b += kMostProducts * p.step_b * static_cast<int64_t>(sizeof(T));
    p.c += kMostProducts * p.step_c * static_cast<int64_t>(sizeof(R));
  }
  if (p.m == 0 || p.n == 0 || p.batch == 0 || on.error != 0) return;
  if (p.k == 0) {
    if (!p.adds) run_bias<R, false>(on, p);
    return;
  }
  if constexpr (std::is_integral_v<T>) {
    multiply_integers<T>(on, p);
  } else {
    p.precision = on.precision;
    on.error = host->multiply(on, p);
    if (on.error != kNoSuchProduct || p.bias == nullptr) return;
    Product plain = p;
    plain.bias = nullptr;
    on.error = host->multiply(on, plain);
    if (on.error == 0) run_bias<R, true>(on, p);
  }
}

// The same for a batch: the longest axis at once, the others one index after the other. Sets the batch of `p` and the
// addresses of its matrices. The results are contiguous.
template <class T> void multiply_batch(const CudaLaunch& on, Product p, const Walk& batch) {
  int longest = 0;
  for (int axis = 1; axis < batch.rank; ++axis) {
    if (batch.dims[axis] > batch.dims[longest]) longest = axis;
  }
  if (batch.count == 0) return;
  int64_t step_c[kMostLabels], step = p.m * p.n;
  for (int axis = 0; axis < batch.rank; ++axis) {
    step_c[axis] = step;
    step *= batch.dims[axis];
  }
  const Product first = p;
  int64_t others = batch.count;
  if (batch.rank > 0) {
    p.batch = batch.dims[longest];
    p.step_a = batch.step_a[longest];
    p.step_b = batch.step_b[longest];
    p.step_c = step_c[longest];
    others /= p.batch;
  }
  constexpr int64_t kBytes = sizeof(T);
  for (int64_t i = 0; i < others && on.error == 0; ++i) {
    int64_t rest = i, a = 0, b = 0, c = 0;
    for (int axis = 0; axis < batch.rank; ++axis) {
      if (axis == longest) continue;
      int64_t index = rest % batch.dims[axis];
      rest /= batch.dims[axis];
      a += index * batch.step_a[axis];
      b += index * batch.step_b[axis];
      c += index * step_c[axis];
    }
    p.a = first.a + a * kBytes;
    p.b = first.b + b * kBytes;
    p.c = first.c + c * kBytes;
    multiply<T>(on, p);
  }
}

}  // namespace lutra::cuda
