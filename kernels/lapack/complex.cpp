// Factorisations of complex matrices: each in one call, on one thread; what is solved with them, and products, on
// Lutra's threads. A row-major matrix by columns is its transpose, the conjugate of its adjoint.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/loops/transpose.h"
#include "kernels/lapack/blocked.h"
#include "kernels/lapack/factorise.h"
#include "kernels/lapack/pieces.h"
#include "kernels/lapack/workspace.h"

namespace lutra::lapack {
namespace {

// See Note [Reads behind complex matrices].
template <class T> std::vector<Complex<T>> with_spare(const Complex<T>* from, int64_t rows, int64_t columns) {
  const int64_t count = rows * columns;
  std::vector<Complex<T>> numbers(static_cast<std::size_t>(count + spare_numbers(rows, columns)));
  if (from != nullptr) std::copy_n(from, count, numbers.data());
  return numbers;
}

template <class T> void conjugate(Complex<T>* numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i) numbers[i].im = -numbers[i].im;
}

}  // namespace

template <class T> bool factorise_lu(int64_t m, int64_t n, Complex<T>* a, std::vector<int>& pivots) {
  pivots.resize(static_cast<std::size_t>(std::min(m, n)));
  const int rows = static_cast<int>(m), columns = static_cast<int>(n);
  int info = 0;
  Call call;
  functions<Complex<T>>().getrf(&rows, &columns, a, &rows, pivots.data(), &info);
  return info == 0;
}

// x a = b is a^T x^T = b^T. x a^H = b is a conj(x^T) = conj(b^T).
template <class T>
void solve_by_lu(int64_t rows, int64_t n, const Complex<T>* factors, const std::vector<int>& pivots, bool adjoint,
                 Complex<T>* b) {
  // 64 columns of 512 numbers, turned, fit the second cache.
  for_pieces_of(64, rows, n * n, [&](int64_t begin, int64_t end) {
    const int size = static_cast<int>(n), count = static_cast<int>(end - begin);
    std::vector<Complex<T>> turned(static_cast<std::size_t>(n * (end - begin)));
    transpose(b + begin, rows, n, end - begin, turned.data(), n);
    if (adjoint) conjugate(turned.data(), n * count);
    int info = 0;
    functions<Complex<T>>().getrs(adjoint ? "N" : "T", &size, &count, factors, &size, pivots.data(), turned.data(),
                                  &size, &info, 1);
    if (adjoint) conjugate(turned.data(), n * count);
    transpose(turned.data(), n, end - begin, n, b + begin, rows);
  });
}

template <class T> void solve_from_right(Triangle kind, int64_t rows, int64_t n, const Complex<T>* t, Complex<T>* b) {
  for_pieces(rows, n * n / 2, [&](int64_t begin, int64_t end) {
    const int count = static_cast<int>(end - begin), size = static_cast<int>(n), step = static_cast<int>(rows);
    const Complex<T> one(1);
    functions<Complex<T>>().trsm("R", kind.is_upper ? "U" : "L", kind.is_transposed ? "C" : "N",
                                 kind.has_ones ? "U" : "N", &count, &size, &one, t, &size, b + begin, &step, 1, 1, 1,
                                 1);
  });
}

template <class T> void factorise_qr(int64_t m, int64_t n, Complex<T>* a, Complex<T>* q) {
  const int64_t k = std::min(m, n);
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), values = static_cast<int>(k);
  std::vector<Complex<T>> factors(static_cast<std::size_t>(k)), packed = with_spare(a, m, n);
  int info = 0;
  {
    Call call;
    const auto& f = functions<Complex<T>>();
    with_workspace<Complex<T>>(
        [&](Complex<T>* work, const int* size) {
          f.geqrf(&rows, &columns, packed.data(), &rows, factors.data(), work, size, &info);
        },
        spare_numbers(m, n));
    std::copy_n(packed.data(), m * n, a);
    with_workspace<Complex<T>>(
        [&](Complex<T>* work, const int* size) {
          f.ungqr(&rows, &values, &values, packed.data(), &rows, factors.data(), work, size, &info);
        },
        spare_numbers(m, n));
  }
  transpose(packed.data(), m, k, m, q, k);
}

// c^T = b^T a^T
template <class T> void multiply(int64_t n, const Complex<T>* a, const Complex<T>* b, Complex<T>* c) {
  for_pieces(n, n * n, [&](int64_t begin, int64_t end) {
    const int size = static_cast<int>(n), count = static_cast<int>(end - begin);
    const Complex<T> one(1), zero(0);
    functions<Complex<T>>().gemm("N", "N", &size, &count, &size, &one, b, &size, a + begin * n, &size, &zero,
                                 c + begin * n, &size, 1, 1);
  });
}

// The transpose is conj(v) s u^T.
template <class T> bool svd(int64_t m, int64_t n, Complex<T>* a, Complex<T>* u, T* s, Complex<T>* vh) {
  if (!are_finite(a, m * n)) return false;
  const int64_t k = std::min(m, n), most = std::max(m, n);
  const int rows = static_cast<int>(n), columns = static_cast<int>(m), values = static_cast<int>(k);
  int info = 0;
  std::vector<int> integers(static_cast<std::size_t>(8 * k));
  // gesdd has no query for this size; it is from LAPACK's manual.
  std::vector<T> reals(static_cast<std::size_t>(k * (std::max(5 * k + 5, 2 * most + 2 * k + 1))));
  std::vector<Complex<T>> matrix = with_spare(a, m, n), left = with_spare<T>(nullptr, m, k),
                          right = with_spare<T>(nullptr, k, n);
  {
    Call call;
    with_workspace<Complex<T>>(
        [&](Complex<T>* work, const int* work_size) {
          functions<Complex<T>>().gesdd("S", &rows, &columns, matrix.data(), &rows, s, right.data(), &rows, left.data(),
                                        &values, work, work_size, reals.data(), integers.data(), &info, 1);
        },
        spare_numbers(m, n));
  }
  std::copy_n(left.data(), m * k, u);
  std::copy_n(right.data(), k * n, vh);
  return info == 0;
}

// By columns a is conj(a), whose eigenvectors are conjugates; they lie one after another.
template <class T> bool eigh(int64_t n, Complex<T>* a, T* w, Complex<T>* v) {
  for (int64_t i = 0; i < n; ++i) {
    if (!are_finite(a + i * n, i + 1)) return false;
  }
  const int size = static_cast<int>(n), unknown = -1;
  int info = 0, wanted_integers = 0;
  const char* job = v != nullptr ? "V" : "N";
  Complex<T> wanted(0);
  T wanted_reals = 0;
  std::vector<Complex<T>> matrix = with_spare(a, n, n);
  Call call;
  const auto& f = functions<Complex<T>>();
  f.heevd(job, "U", &size, matrix.data(), &size, w, &wanted, &unknown, &wanted_reals, &unknown, &wanted_integers,
          &unknown, &info, 1, 1);
  std::vector<T> reals(workspace_size(wanted_reals));
  const std::size_t enough = workspace_size(wanted.re);
  std::vector<Complex<T>> work(enough + static_cast<std::size_t>(spare_numbers(n, n)));
  std::vector<int> integers(static_cast<std::size_t>(wanted_integers) + 1);
  const int sizes[] = {static_cast<int>(enough), static_cast<int>(reals.size()), static_cast<int>(integers.size())};
  f.heevd(job, "U", &size, matrix.data(), &size, w, work.data(), &sizes[0], reals.data(), &sizes[1], integers.data(),
          &sizes[2], &info, 1, 1);
  if (info == 0 && v != nullptr) {
    transpose(matrix.data(), n, n, n, v, n);
    conjugate(v, n * n);
  }
  return info == 0;
}

// By columns the left eigenvectors u, for which u^H a^T = w u^H, are conjugates of those of a.
template <class T> bool eig(int64_t n, Complex<T>* a, Complex<T>* w, Complex<T>* v) {
  if (!are_finite(a, n * n)) return false;
  std::vector<Complex<T>> matrix = with_spare(a, n, n), left = with_spare<T>(nullptr, n, v != nullptr ? n : 1);
  std::vector<T> reals(static_cast<std::size_t>(2 * n));
  const char* job = v != nullptr ? "V" : "N";
  const int size = static_cast<int>(n);
  int info = 0;
  {
    Call call;
    with_workspace<Complex<T>>(
        [&](Complex<T>* work, const int* work_size) {
          functions<Complex<T>>().geev(job, "N", &size, matrix.data(), &size, w, left.data(), &size, nullptr, &size,
                                       work, work_size, reals.data(), &info, 1, 1);
        },
        spare_numbers(n, n));
  }
  if (info == 0 && v != nullptr) {
    transpose(left.data(), n, n, n, v, n);
    conjugate(v, n * n);
  }
  return info == 0;
}

template bool factorise_lu(int64_t, int64_t, Complex64*, std::vector<int>&);
template bool factorise_lu(int64_t, int64_t, Complex128*, std::vector<int>&);
template void solve_by_lu(int64_t, int64_t, const Complex64*, const std::vector<int>&, bool, Complex64*);
template void solve_by_lu(int64_t, int64_t, const Complex128*, const std::vector<int>&, bool, Complex128*);
template void solve_from_right(Triangle, int64_t, int64_t, const Complex64*, Complex64*);
template void solve_from_right(Triangle, int64_t, int64_t, const Complex128*, Complex128*);
template void factorise_qr(int64_t, int64_t, Complex64*, Complex64*);
template void factorise_qr(int64_t, int64_t, Complex128*, Complex128*);
template void multiply(int64_t, const Complex64*, const Complex64*, Complex64*);
template void multiply(int64_t, const Complex128*, const Complex128*, Complex128*);
template bool svd(int64_t, int64_t, Complex64*, Complex64*, float*, Complex64*);
template bool svd(int64_t, int64_t, Complex128*, Complex128*, double*, Complex128*);
template bool eigh(int64_t, Complex64*, float*, Complex64*);
template bool eigh(int64_t, Complex128*, double*, Complex128*);
template bool eig(int64_t, Complex64*, Complex64*, Complex64*);
template bool eig(int64_t, Complex128*, Complex128*, Complex128*);

}  // namespace lutra::lapack
