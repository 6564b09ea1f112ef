#include <algorithm>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/product.h"
#include "kernels/cpu/dense/rows.h"

namespace lutra::dense {
namespace {

// Rows of the factor that are found before what follows them is updated by a product; and the rows of that product.
int64_t rows_of_factor(int64_t n) { return n <= 128 ? 16 : 32; }
int64_t rows_of_strip(int64_t n) { return n <= 128 ? 16 : 64; }

}  // namespace

// a = u^H u with u = l^H, since loops along rows of u are longer than those along rows of l (Golub and Van Loan, 4.2).
template <class Number> bool cholesky(int64_t n, Number* a) {
  const auto room = room_for<Number>(n * n);
  Number* const u = room.get();
  transpose<true>(n, n, a, n, u, n);
  for (int64_t first = 0; first < n; first += rows_of_factor(n)) {
    const int64_t end = std::min(n, first + rows_of_factor(n));
    for (int64_t k = first; k < end; ++k) {
      Number* row = u + k * n;
      const double pivot = real_part(row[k]);
      if (pivot <= 0) return false;
      const double root = std::sqrt(pivot);
      row[k] = Number(root);
      double* rest = parts(row + k + 1);
      for (int64_t j = 0; j < (n - k - 1) * kParts<Number>; ++j) rest[j] /= root;
      for (int64_t i = k + 1; i < end; ++i) subtract_row(n - i, conjugate(row[i]), row + i, u + i * n + i);
    }
    // In strips of rows, so that little below the diagonal is computed in vain.
    for (int64_t i = end; i < n; i += rows_of_strip(n)) {
      const int64_t rows = std::min(rows_of_strip(n), n - i);
      const Number* known = u + first * n + i;
      subtract_product<Number>(rows, n - i, end - first, {known, 1, n, true}, {known, n}, u + i * n + i, n);
    }
  }
  for (int64_t i = 0; i < n; ++i) std::fill_n(u + i * n, i, Number(0));
  transpose<true>(n, n, u, n, a, n);
  return true;
}

template bool cholesky(int64_t, double*);
template bool cholesky(int64_t, Complex128*);

}  // namespace lutra::dense
