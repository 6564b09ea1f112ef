// x op(t) = b for a small triangle t, in loops: OpenBLAS' trsm takes three times as long for 64 x 64.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lutra::lapack {

// Which triangle of a matrix by columns takes part in a product, and how.
struct Triangle {
  bool is_upper, is_transposed, has_ones;  // has_ones: its diagonal is taken for ones
};

inline constexpr int64_t kMostInLoops = 64;

namespace small_triangle {

#if defined(__AVX512F__)
inline constexpr int64_t kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int64_t kVectorBytes = 32;
#else
inline constexpr int64_t kVectorBytes = 16;
#endif
template <class T> struct Lanes {
  typedef T Type __attribute__((vector_size(kVectorBytes), may_alias));  // `using` ignores the attribute here
};
// Rows of b that are solved at a time: the sums of so many stay in registers.
inline constexpr int64_t kVectors = 4;
template <class T> inline constexpr int64_t kRows = kVectors* kVectorBytes / static_cast<int64_t>(sizeof(T));

// b has n columns of kRows elements. Those that follow a column in t are solved after it.
template <class T>
void solve(Triangle kind, int64_t n, const T* t, int64_t step_t, typename Lanes<T>::Type (*b)[kVectors]) {
  const int64_t along = kind.is_transposed ? step_t : 1, across = kind.is_transposed ? 1 : step_t;
  const bool is_forward = kind.is_upper != kind.is_transposed;
  for (int64_t count = 0; count < n; ++count) {
    const int64_t j = is_forward ? count : n - 1 - count;
    typename Lanes<T>::Type sum[kVectors];
    for (int v = 0; v < kVectors; ++v) sum[v] = b[j][v];
    for (int64_t before = 0; before < count; ++before) {
      const int64_t i = is_forward ? before : n - 1 - before;
      const T factor = t[i * along + j * across];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[v] -= b[i][v] * factor;
    }
    if (!kind.has_ones) {
      const T diagonal = t[j * (along + across)];
      for (int v = 0; v < kVectors; ++v) sum[v] /= diagonal;
    }
    for (int v = 0; v < kVectors; ++v) b[j][v] = sum[v];
  }
}

}  // namespace small_triangle

// b (rows, n) becomes x. Its element (i, j) is b[i * down + j * right]. n is at most kMostInLoops.
template <class T>
void solve_in_loops(Triangle kind, int64_t rows, int64_t n, const T* t, int64_t step_t, T* b, int64_t down,
                    int64_t right) {
  constexpr int64_t kRows = small_triangle::kRows<T>;
  // Copied together: columns that lie a power of two apart would share a few places of the cache.
  typename small_triangle::Lanes<T>::Type together[kMostInLoops][small_triangle::kVectors];
  T* const packed = reinterpret_cast<T*>(together);
  for (int64_t first = 0; first < rows; first += kRows, b += kRows * down) {
    const int64_t count = std::min(kRows, rows - first);
    if (count < kRows) std::fill_n(packed, n * kRows, T{0});
    if (down == 1) {
      for (int64_t j = 0; j < n; ++j) std::copy_n(b + j * right, count, packed + j * kRows);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < n; ++j) packed[j * kRows + i] = b[i * down + j * right];
      }
    }
    small_triangle::solve(kind, n, t, step_t, together);
    if (down == 1) {
      for (int64_t j = 0; j < n; ++j) std::copy_n(packed + j * kRows, count, b + j * right);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < n; ++j) b[i * down + j * right] = packed[j * kRows + i];
      }
    }
  }
}

}  // namespace lutra::lapack
