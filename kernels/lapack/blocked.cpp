#include "kernels/lapack/blocked.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/parallel.h"
#include "kernels/cpu/gemm/gemm.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"

namespace lutra::lapack {
namespace {

// A block of columns. Wider ones make products faster; narrower ones leave less to the one thread that factorises them.
constexpr int64_t kBlock = 64;
template <class T>
void product(bool transposed, int64_t m, int64_t n, int64_t k, T factor, const T* a, int64_t step_a, const T* b,
             int64_t step_b, T add, T* c, int64_t step_c) {
  const int sizes[] = {static_cast<int>(m), static_cast<int>(n), static_cast<int>(k)};
  const int steps[] = {static_cast<int>(step_a), static_cast<int>(step_b), static_cast<int>(step_c)};
  functions<T>().gemm("N", transposed ? "T" : "N", &sizes[0], &sizes[1], &sizes[2], &factor, a, &steps[0], b, &steps[1],
                      &add, c, &steps[2], 1, 1);
}

// x op(t) = b for some rows of b, whose columns begin `step` apart. t is halved, so that most of the work is a product.
template <class T>
void solve_rows(Triangle kind, int64_t rows, int64_t n, const T* t, int64_t step_t, T* b, int64_t step) {
  if (n <= kMostInLoops) return solve_in_loops(kind, rows, n, t, step_t, b, 1, step);
  const int64_t half = (n / 2 + 15) / 16 * 16;
  const T *last = t + half * step_t + half, *beside = kind.is_upper ? t + half * step_t : t + half;
  T* right = b + half * step;
  // Above op(t)'s diagonal: the columns of the first half are solved first.
  if (kind.is_upper != kind.is_transposed) {
    solve_rows(kind, rows, half, t, step_t, b, step);
    product(kind.is_transposed, rows, n - half, half, T(-1), b, step, beside, step_t, T(1), right, step);
    solve_rows(kind, rows, n - half, last, step_t, right, step);
  } else {
    solve_rows(kind, rows, n - half, last, step_t, right, step);
    product(kind.is_transposed, rows, half, n - half, T(-1), right, step, beside, step_t, T(1), b, step);
    solve_rows(kind, rows, half, t, step_t, b, step);
  }
}

template <class T>
void exchange_rows(int64_t columns, T* a, int64_t step, int64_t first, int64_t end, const std::vector<int>& pivots) {
  const int count = static_cast<int>(columns), distance = static_cast<int>(step), from = static_cast<int>(first + 1),
            to = static_cast<int>(end), one = 1;
  functions<T>().laswp(&count, a, &distance, &from, &to, pivots.data(), &one);
}

}  // namespace

template <class T> bool factorise_lu(int64_t m, int64_t n, T* a, std::vector<int>& pivots) {
  const int64_t k = std::min(m, n);
  pivots.resize(static_cast<std::size_t>(k));
  bool is_regular = true;
  for (int64_t first = 0; first < k; first += kBlock) {
    const int64_t width = std::min(kBlock, k - first), next = first + width, below = m - next;
    T* corner = a + first * m + first;
    {
      Call call;
      const int rows = static_cast<int>(m - first), columns = static_cast<int>(width), step = static_cast<int>(m);
      int info = 0;
      functions<T>().getrf(&rows, &columns, corner, &step, pivots.data() + first, &info);
      is_regular &= info == 0;
      for (int64_t i = first; i < next; ++i) pivots[static_cast<std::size_t>(i)] += static_cast<int>(first);
    }
    for_pieces(n - next, width * (m - first), [&](int64_t begin, int64_t end) {
      T* columns = a + (next + begin) * m;
      exchange_rows(end - begin, columns, m, first, next, pivots);
      // l x = b is x^T l^T = b^T.
      solve_in_loops({.is_upper = false, .is_transposed = true, .has_ones = true}, end - begin, width, corner, m,
                     columns + first, m, int64_t{1});
      if (below > 0) {
        product(false, below, end - begin, width, T(-1), corner + width, m, columns + first, m, T(1), columns + next,
                m);
      }
    });
  }
  // The rows of each block are exchanged as those after it were.
  for_pieces(k, k, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t next = std::min(first + kBlock, k);
      if (next < k) exchange_rows(next - first, a + first * m, m, next, k, pivots);
    }
  });
  return is_regular;
}

template <class T> void solve_from_right(Triangle kind, int64_t rows, int64_t n, const T* t, T* b) {
  for_pieces(rows, n * n / 2,
             [&](int64_t begin, int64_t end) { solve_rows(kind, end - begin, n, t, n, b + begin, rows); });
}

template <class T>
void solve_by_lu(int64_t rows, int64_t n, const T* factors, const std::vector<int>& pivots, bool adjoint, T* b) {
  for_pieces(rows, n * n, [&](int64_t begin, int64_t end) {
    const int64_t count = end - begin;
    T* x = b + begin;
    auto exchange = [&](int64_t i) {
      const int64_t other = pivots[static_cast<std::size_t>(i)] - 1;
      if (other != i) std::swap_ranges(x + i * rows, x + i * rows + count, x + other * rows);
    };
    const Triangle lower{.is_upper = false, .is_transposed = adjoint, .has_ones = true},
        upper{.is_upper = true, .is_transposed = adjoint, .has_ones = false};
    if (adjoint) {
      for (int64_t i = 0; i < n; ++i) exchange(i);
      solve_rows(lower, count, n, factors, n, x, rows);
      solve_rows(upper, count, n, factors, n, x, rows);
    } else {
      solve_rows(upper, count, n, factors, n, x, rows);
      solve_rows(lower, count, n, factors, n, x, rows);
      for (int64_t i = n - 1; i >= 0; --i) exchange(i);
    }
  });
}

// Reflections in blocks (geqrt) take two thirds of the time of geqrf and orgqr. q begins as the identity; the last
// block is applied first, so that each changes only what is below and right of its own corner. q by rows is q^T by
// columns, to which blocks are applied from the right: that takes two thirds of the time of the left.
template <class T> void factorise_qr(int64_t m, int64_t n, T* a, T* q) {
  const int64_t k = std::min(m, n), block = std::min<int64_t>(k, k < 8 * kBlock ? kBlock / 2 : kBlock);
  const int step = static_cast<int>(m), step_t = static_cast<int>(block), values = static_cast<int>(k);
  std::vector<T> triangles(static_cast<std::size_t>(block * k));
  int info = 0;
  for (int64_t first = 0; first < k; first += block) {
    const int64_t next = std::min(first + block, k);
    const int rows = static_cast<int>(m - first), width = static_cast<int>(next - first);
    T *corner = a + first * m + first, *triangle = triangles.data() + first * block;
    {
      Call call;
      std::vector<T> work(static_cast<std::size_t>(block * width));
      functions<T>().geqrt(&rows, &width, &width, corner, &step, triangle, &step_t, work.data(), &info);
    }
    for_pieces(n - next, 2 * width * (m - first), [&](int64_t begin, int64_t end) {
      const int columns = static_cast<int>(end - begin);
      std::vector<T> work(static_cast<std::size_t>(width * (end - begin)));
      int ignored = 0;
      functions<T>().gemqrt("L", "T", &rows, &columns, &width, &width, corner, &step, triangle, &step_t,
                            a + (next + begin) * m + first, &step, work.data(), &ignored, 1, 1);
    });
  }
  std::fill(q, q + m * k, T{0});
  for (int64_t i = 0; i < k; ++i) q[i * k + i] = 1;
  for (int64_t first = (k - 1) / block * block; first >= 0; first -= block) {
    const int width = static_cast<int>(std::min(block, k - first)), right = static_cast<int>(m - first);
    for_pieces(k - first, 2 * width * (m - first), [&](int64_t begin, int64_t end) {
      const int rows = static_cast<int>(end - begin);
      std::vector<T> work(static_cast<std::size_t>(width * (end - begin)));
      int ignored = 0;
      functions<T>().gemqrt("R", "T", &rows, &right, &width, &width, a + first * m + first, &step,
                            triangles.data() + first * block, &step_t, q + first * k + first + begin, &values,
                            work.data(), &ignored, 1, 1);
    });
  }
}

template <class T> void multiply(int64_t n, const T* a, const T* b, T* c) {
  if constexpr (std::is_same_v<T, float>) {
    gemm_cut_by_sizes(
        {.m = n, .n = n, .k = n, .k_of_b = n, .lda = n, .ldb = n, .transpose_a = false, .transpose_b = false}, a, b, c);
  } else {
    // c^T = b^T a^T by columns; OpenBLAS multiplies doubles faster than gemm.
    for_pieces(n, n * n, [&](int64_t begin, int64_t end) {
      product(false, n, end - begin, n, T(1), b, n, a + begin * n, n, T(0), c + begin * n, n);
    });
  }
}

template bool factorise_lu(int64_t, int64_t, float*, std::vector<int>&);
template bool factorise_lu(int64_t, int64_t, double*, std::vector<int>&);
template void solve_from_right(Triangle, int64_t, int64_t, const float*, float*);
template void solve_from_right(Triangle, int64_t, int64_t, const double*, double*);
template void solve_by_lu(int64_t, int64_t, const float*, const std::vector<int>&, bool, float*);
template void solve_by_lu(int64_t, int64_t, const double*, const std::vector<int>&, bool, double*);
template void factorise_qr(int64_t, int64_t, float*, float*);
template void factorise_qr(int64_t, int64_t, double*, double*);
template void multiply(int64_t, const float*, const float*, float*);
template void multiply(int64_t, const double*, const double*, double*);

}  // namespace lutra::lapack
