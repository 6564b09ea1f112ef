// Singular values and vectors of real matrices: to bidiagonal form and back in blocks on Lutra's threads; LAPACK's
// bdsdc between, on one thread.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/stop_request.h"
#include "kernels/cpu/loops/transpose.h"
#include "kernels/lapack/bidiagonal.h"
#include "kernels/lapack/blocked.h"
#include "kernels/lapack/factorise.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"
#include "kernels/lapack/reduction.h"
#include "kernels/lapack/workspace.h"

namespace lutra::lapack {
namespace {

template <class T> std::unique_ptr<T[]> room(int64_t rows, int64_t columns) {
  return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(rows * columns));
}

// b.diagonal becomes the singular values; u (n, n) and vt have the vectors by columns.
template <class T> bool decompose(Bidiagonal<T>& b, T* u, T* vt) {
  const int64_t n = b.q.count;
  const int size = static_cast<int>(n);
  std::vector<T> work(static_cast<std::size_t>(3 * n * n + 4 * n));
  std::vector<int> integers(static_cast<std::size_t>(8 * n));
  int info = 0;
  Call call;
  functions<T>().bdsdc("U", "I", &size, b.diagonal.data(), b.above.data(), u, &size, vt, &size, nullptr, nullptr,
                       work.data(), integers.data(), &info, 1, 1);
  return info == 0;
}

// out = q z for q (rows, n) by rows and z (n, n) by columns.
template <class T> void multiply(int64_t rows, int64_t n, const T* q, const T* z, bool by_rows, T* out) {
  const int size = static_cast<int>(n), step = static_cast<int>(rows);
  const T one = 1, zero = 0;
  for_pieces(rows, n * n, [&](int64_t begin, int64_t end) {
    const int count = static_cast<int>(end - begin);
    const T* part = q + begin * n;
    if (by_rows) {
      functions<T>().gemm("T", "N", &size, &count, &size, &one, z, &size, part, &size, &zero, out + begin * n, &size, 1,
                          1);
    } else {
      functions<T>().gemm("T", "N", &count, &size, &size, &one, part, &size, z, &size, &zero, out + begin, &step, 1, 1);
    }
  });
}

}  // namespace

// What an interrupt ends early is meaningless, and counts as an answer: the op fails anyway.
template <class T> bool svd(int64_t m, int64_t n, T* a, T* u, T* s, T* vt) {
  if (!are_finite(a, m * n)) return false;
  // The matrix by columns is the transpose. Of the two, the one that is not wide is decomposed.
  const int64_t rows = std::max(m, n), columns = std::min(m, n);
  const bool is_turned = m > n;
  T* const left = is_turned ? u : vt;
  T* const right = is_turned ? vt : u;
  T most = 0;
  for (int64_t i = 0; i < m * n; ++i) most = std::max(most, std::fabs(a[i]));
  const int exponent = exponent_of(most);
  const PowerOfTwo<T> power(-exponent);
  for (int64_t i = 0; i < m * n; ++i) a[i] = power.times(a[i]);
  // The triangle of a matrix with many more rows than columns takes less time to decompose, as in gesdd.
  const bool by_qr = rows >= columns * 11 / 6;
  std::unique_ptr<T[]> q;
  Bidiagonal<T> b(by_qr ? columns : rows, columns);
  T* matrix = b.q.vectors.data();
  if (by_qr) {
    q = room<T>(rows, columns);
    std::unique_ptr<T[]> turned;
    if (is_turned) {
      turned = room<T>(rows, columns);
      transpose(a, n, m, n, turned.get(), m);
    }
    T* packed = is_turned ? turned.get() : a;
    factorise_qr(rows, columns, packed, q.get());
    for (int64_t j = 0; j < columns; ++j) std::copy_n(packed + j * rows, j + 1, matrix + j * b.q.step);
  } else if (is_turned) {
    transpose(a, n, m, n, matrix, b.q.step);
  } else {
    for (int64_t j = 0; j < columns; ++j) std::copy_n(a + j * rows, rows, matrix + j * b.q.step);
  }
  bidiagonalise(b);
  if (StopRequest::is_wanted()) return true;
  auto inner_u = room<T>(columns, columns), inner_vt = room<T>(columns, columns);
  if (!decompose(b, inner_u.get(), inner_vt.get())) return false;
  for (int64_t i = 0; i < columns; ++i) s[i] = std::ldexp(b.diagonal[static_cast<std::size_t>(i)], exponent);
  multiply(b.p, {inner_vt.get(), columns, columns, 1, columns}, !is_turned, right);
  const ColumnsOf<T> inner{inner_u.get(), columns, columns, columns, 1};
  if (by_qr) {
    auto between = room<T>(columns, columns);
    multiply(b.q, inner, false, between.get());
    multiply(rows, columns, q.get(), between.get(), is_turned, left);
  } else {
    multiply(b.q, inner, is_turned, left);
  }
  return true;
}

template bool svd(int64_t, int64_t, float*, float*, float*, float*);
template bool svd(int64_t, int64_t, double*, double*, double*, double*);

}  // namespace lutra::lapack
