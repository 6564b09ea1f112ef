#include "kernels/lapack/factorise.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "kernels/cpu/loops/transpose.h"
#include "kernels/lapack/blocked.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"
#include "kernels/lapack/workspace.h"

namespace lutra::lapack {
namespace {

// gesdd's workspace is about five times the matrix, and positions in it are integers of 32 bits.
constexpr int64_t kMostElements = int64_t{1} << 28;

}  // namespace

bool is_here(int64_t m, int64_t n) {
  if (m > kMostElements / n) return false;
  return find_library().library != nullptr;
}

template <class T> bool cholesky(int64_t n, T* a) {
  Call call;
  int size = static_cast<int>(n), info = 0;
  functions<T>().potrf("U", &size, a, &size, &info, 1);
  for (int64_t row = 0; row < n; ++row) std::fill(a + row * n + row + 1, a + (row + 1) * n, T(0));
  return info == 0;
}

template <class T> void solve_triangular(int64_t n, const T* t, bool lower, bool adjoint, int64_t columns, T* b) {
  if (columns == 0) return;
  // x^T t^T = b^T, or x^T (t^T)^H = b^T
  solve_from_right({.is_upper = lower, .is_transposed = adjoint, .has_ones = false}, columns, n, t, b);
}

template <class T> bool Lu<T>::factorise(int64_t n, T* a) {
  n_ = n;
  factors_ = a;
  return factorise_lu(n, n, a, pivots_);
}

template <class T> void Lu<T>::solve(int64_t columns, T* b, bool adjoint) const {
  if (columns > 0) solve_by_lu(columns, n_, factors_, pivots_, adjoint, b);
}

template <class T> bool invert(int64_t n, T* a) {
  std::vector<T> factors(a, a + n * n);
  Lu<T> lu;
  if (!lu.factorise(n, factors.data())) return false;
  std::fill(a, a + n * n, T(0));
  for (int64_t i = 0; i < n; ++i) a[i * (n + 1)] = T(1);
  lu.solve(n, a, false);
  return true;
}

template <class T> void qr(int64_t m, int64_t n, const T* a, T* q, T* r) {
  const int64_t k = std::min(m, n);
  auto packed = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(m * n));
  transpose(a, n, m, n, packed.get(), m);
  factorise_qr(m, n, packed.get(), q);
  transpose(packed.get(), m, n, k, r, n);
  for (int64_t i = 1; i < k; ++i) std::fill(r + i * n, r + i * n + i, T(0));
}

// The matrix by columns is the transpose. Its left eigenvectors u, for which u^H a^T = w u^H, are conjugates of those
// of a.
template <class T> bool eig(int64_t n, T* a, Complex<T>* w, Complex<T>* v) {
  if (!are_finite(a, n * n)) return false;
  const std::size_t count = static_cast<std::size_t>(n);
  std::vector<T> real(count), imaginary(count), left(v != nullptr ? count * count : 1);
  const char* job = v != nullptr ? "V" : "N";
  int size = static_cast<int>(n), info = 0;
  {
    Call call;
    with_workspace<T>([&](T* work, const int* work_size) {
      functions<T>().geev(job, "N", &size, a, &size, real.data(), imaginary.data(), left.data(), &size, nullptr, &size,
                          work, work_size, &info, 1, 1);
    });
  }
  if (info != 0) return false;
  for (std::size_t i = 0; i < count; ++i) w[i] = {real[i], imaginary[i]};
  if (v == nullptr) return true;
  // Of two conjugate values the first has the real parts and, one column on, the imaginary ones of its vector.
  for (int64_t j = 0; j < n; ++j) {
    const bool is_pair = imaginary[static_cast<std::size_t>(j)] != 0;
    const T *re = left.data() + j * n, *im = re + n;
    for (int64_t i = 0; i < n; ++i) {
      v[i * n + j] = {re[i], is_pair ? -im[i] : T(0)};
      if (is_pair) v[i * n + j + 1] = {re[i], im[i]};
    }
    j += is_pair;
  }
  return true;
}

template <class T> void lu(int64_t m, int64_t n, const T* a, T* p, T* l, T* u) {
  const int64_t k = std::min(m, n);
  auto packed = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(m * n));
  for_pieces(m, n,
             [&](int64_t begin, int64_t end) { transpose(a + begin * n, n, end - begin, n, packed.get() + begin, m); });
  std::vector<int> pivots;
  factorise_lu(m, n, packed.get(), pivots);
  // Row i of the factors was row order[i] of a.
  std::vector<int64_t> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t i = 0; i < k; ++i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(pivots[static_cast<std::size_t>(i)] - 1)]);
  }
  std::fill(p, p + m * m, T(0));
  for (int64_t i = 0; i < m; ++i) p[order[static_cast<std::size_t>(i)] * m + i] = T(1);
  for_pieces(m, n + k, [&](int64_t begin, int64_t end) {
    const T* rows = packed.get() + begin;
    transpose(rows, m, std::min(end, k), end - begin, l + begin * k, k);
    for (int64_t i = begin; i < end; ++i) {
      if (i < k) l[i * (k + 1)] = T(1);
      std::fill(l + i * k + std::min(i + 1, k), l + (i + 1) * k, T(0));
    }
    if (begin >= k) return;
    transpose(rows + begin * m, m, n - begin, std::min(end, k) - begin, u + begin * (n + 1), n);
    for (int64_t i = begin; i < std::min(end, k); ++i) std::fill(u + i * n, u + i * n + i, T(0));
  });
}

template bool eig(int64_t, float*, Complex64*, Complex64*);
template bool eig(int64_t, double*, Complex128*, Complex128*);
template void lu(int64_t, int64_t, const float*, float*, float*, float*);
template void lu(int64_t, int64_t, const double*, double*, double*, double*);
template void lu(int64_t, int64_t, const Complex64*, Complex64*, Complex64*, Complex64*);
template void lu(int64_t, int64_t, const Complex128*, Complex128*, Complex128*, Complex128*);
template bool cholesky(int64_t, float*);
template bool cholesky(int64_t, double*);
template bool cholesky(int64_t, Complex64*);
template bool cholesky(int64_t, Complex128*);
template void solve_triangular(int64_t, const float*, bool, bool, int64_t, float*);
template void solve_triangular(int64_t, const double*, bool, bool, int64_t, double*);
template void solve_triangular(int64_t, const Complex64*, bool, bool, int64_t, Complex64*);
template void solve_triangular(int64_t, const Complex128*, bool, bool, int64_t, Complex128*);
template bool invert(int64_t, float*);
template bool invert(int64_t, double*);
template bool invert(int64_t, Complex64*);
template bool invert(int64_t, Complex128*);
template class Lu<float>;
template class Lu<double>;
template class Lu<Complex64>;
template class Lu<Complex128>;
template void qr(int64_t, int64_t, const float*, float*, float*);
template void qr(int64_t, int64_t, const double*, double*, double*);
template void qr(int64_t, int64_t, const Complex64*, Complex64*, Complex64*);
template void qr(int64_t, int64_t, const Complex128*, Complex128*, Complex128*);

}  // namespace lutra::lapack
