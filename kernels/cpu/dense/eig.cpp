// Eigenvectors of any matrix by back-substitution with its Schur form (Golub and Van Loan, 7.6).
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/product.h"
#include "kernels/cpu/dense/rows.h"
#include "kernels/cpu/dense/schur.h"

namespace lutra::dense {
namespace {

// The least number that is divided by: as large as the errors of the eigenvalue.
double least_divisor(double eigenvalue) { return std::max(kEpsilon * eigenvalue, 1e-150); }
// Vectors are scaled when a number is larger, before they overflow.
constexpr double kLarge = 1e100;

Complex128 kept_from_zero(Complex128 x, double least) { return size_of(x) < least ? Complex128(least) : x; }

// An eigenvector of t (n, n) for the eigenvalue w, which t has in `first` and, of a pair, first + 1. Its real parts are
// written to re [first + 2], and the imaginary ones to im, which is null if w is real.
void solve_for_vector(int64_t n, const double* t, Complex128 w, int64_t first, double* re, double* im) {
  const double least = least_divisor(size_of(w));
  int64_t end = first + 1;
  re[first] = 1;
  if (im != nullptr) {
    // Of the two rows of (t - w) x = 0, the one with the larger number beside the diagonal.
    const double* block = t + first * (n + 1);
    const double above = block[1], below = block[n];
    const bool is_upper = std::fabs(above) >= std::fabs(below);
    const Complex128 other = Complex128(w.re - (is_upper ? block[0] : block[n + 1]), w.im);
    const Complex128 x = is_upper ? Complex128(above) : other, y = is_upper ? other : Complex128(below);
    const double size = std::max(size_of(x), size_of(y));
    re[first] = x.re / size, im[first] = x.im / size;
    re[first + 1] = y.re / size, im[first + 1] = y.im / size;
    end = first + 2;
  }
  // What the numbers that are known add up to in row i, from column `from` on.
  auto known = [&](int64_t i, int64_t from) {
    const double* row = t + i * n + from;
    return Complex128(dot(end - from, row, re + from), im != nullptr ? dot(end - from, row, im + from) : 0);
  };
  auto set = [&](int64_t i, Complex128 x) {
    re[i] = x.re;
    if (im != nullptr) im[i] = x.im;
  };
  for (int64_t i = first - 1; i >= 0; --i) {
    const Complex128 diagonal(t[i * (n + 1)] - w.re, -w.im);
    double most;
    if (i > 0 && t[i * n + i - 1] != 0) {
      // Two rows at once, by elimination with the larger pivot.
      const int64_t j = i - 1;
      Complex128 a(t[j * (n + 1)] - w.re, -w.im), b(t[j * n + i]), c(t[i * n + j]), d = diagonal;
      Complex128 x = -known(j, i + 1), y = -known(i, i + 1);
      if (size_of(c) > size_of(a)) {
        std::swap(a, c);
        std::swap(b, d);
        std::swap(x, y);
      }
      const Complex128 factor = divide(c, kept_from_zero(a, least));
      y = divide(y - factor * x, kept_from_zero(d - factor * b, least));
      x = divide(x - b * y, kept_from_zero(a, least));
      set(i, y);
      set(j, x);
      most = std::max(size_of(x), size_of(y));
      --i;
    } else {
      const Complex128 x = divide(-known(i, i + 1), kept_from_zero(diagonal, least));
      set(i, x);
      most = size_of(x);
    }
    if (most > kLarge) {
      for (int64_t j = i; j < end; ++j) {
        re[j] /= most;
        if (im != nullptr) im[j] /= most;
      }
    }
  }
}

void solve_for_vector(int64_t n, const Complex128* t, Complex128 w, int64_t first, Complex128* x) {
  const double least = least_divisor(size_of(w));
  x[first] = Complex128(1);
  for (int64_t i = first - 1; i >= 0; --i) {
    const Complex128 known = dot(first - i, t + i * n + i + 1, x + i + 1);
    x[i] = divide(-known, kept_from_zero(t[i * (n + 1)] - w, least));
    const double most = size_of(x[i]);
    if (most <= kLarge) continue;
    for (int64_t j = i; j <= first; ++j) x[j] = (1 / most) * x[j];
  }
}

// Divides by the largest part.
template <class Number> void shorten(int64_t count, Number* x) {
  double* numbers = parts(x);
  const double most = largest_part(count, x);
  for (int64_t i = 0; i < count * kParts<Number>; ++i) numbers[i] /= most;
}

// Row j of the result is the eigenvector of w[j]; of a pair of a real matrix, the first row has the real parts and the
// second one the imaginary parts.
template <class Number> std::vector<Number> find_vectors(int64_t n, const Number* t, const Number* zt, Complex128* w) {
  std::vector<Number> inner(static_cast<std::size_t>(n * n)), vectors(static_cast<std::size_t>(n * n));
  for (int64_t j = 0; j < n; ++j) {
    Number* row = inner.data() + j * n;
    if constexpr (kIsComplex<Number>) {
      solve_for_vector(n, t, w[j], j, row);
      shorten(j + 1, row);
    } else {
      const bool is_pair = w[j].im != 0;
      solve_for_vector(n, t, w[j], j, row, is_pair ? row + n : nullptr);
      if (is_pair) shorten(2 * n, row);
      else shorten(j + 1, row);
      j += is_pair;
    }
  }
  // v^T = x^T z^T; row j of x^T is 0 after place j + 1.
  constexpr int64_t kRowsTogether = 32;
  for (int64_t j = 0; j < n; j += kRowsTogether) {
    const int64_t rows = std::min(kRowsTogether, n - j), depth = std::min(n, j + rows + 1);
    add_product<Number>(rows, n, depth, {inner.data() + j * n, n}, {zt, n}, vectors.data() + j * n, n);
  }
  return vectors;
}

// Writes vectors of length 1 to the columns of v.
void write_vectors(int64_t n, const Complex128* w, std::vector<double>& vectors, Complex128* v) {
  for (int64_t j = 0; j < n; ++j) {
    const bool is_pair = w[j].im != 0;
    double *re = vectors.data() + j * n, *im = re + n;
    const double length = norm_of(is_pair ? 2 * n : n, re);
    for (int64_t i = 0; i < n; ++i) {
      v[i * n + j] = {re[i] / length, is_pair ? im[i] / length : 0};
      if (is_pair) v[i * n + j + 1] = conjugate(v[i * n + j]);
    }
    j += is_pair;
  }
}
void write_vectors(int64_t n, const Complex128*, std::vector<Complex128>& vectors, Complex128* v) {
  for (int64_t j = 0; j < n; ++j) {
    const Complex128* row = vectors.data() + j * n;
    const double length = norm_of(n, row);
    for (int64_t i = 0; i < n; ++i) v[i * n + j] = {row[i].re / length, row[i].im / length};
  }
}

template <class Number> bool find_eigenvalues(int64_t n, const Number* a, Complex128* w, Complex128* v) {
  const double largest = largest_part(n * n, a);
  if (std::isnan(largest)) return false;
  const int exponent = exponent_of(largest);
  std::vector<Number> t(a, a + n * n);
  times_power_of_two(n * n, t.data(), -exponent);
  std::vector<Number> z(static_cast<std::size_t>(v != nullptr ? n * n : 0)), zt(z.size());
  reduce_to_hessenberg(n, t.data(), v != nullptr ? z.data() : nullptr);
  if (v != nullptr) transpose<false>(n, n, z.data(), n, zt.data(), n);
  if (!find_schur(n, t.data(), v != nullptr ? zt.data() : nullptr, w)) return false;
  if (v != nullptr) {
    std::vector<Number> vectors = find_vectors(n, t.data(), zt.data(), w);
    write_vectors(n, w, vectors, v);
  }
  times_power_of_two(n, w, exponent);
  return true;
}

template <class Number> void find_or_fill_nan(int64_t n, const Number* a, Complex128* w, Complex128* v) {
  if (find_eigenvalues(n, a, w, v)) return;
  fill_nan(n, w);
  if (v != nullptr) fill_nan(n * n, v);
}

}  // namespace

void eig(int64_t n, const double* a, Complex128* w, Complex128* v) { find_or_fill_nan(n, a, w, v); }
void eig(int64_t n, const Complex128* a, Complex128* w, Complex128* v) { find_or_fill_nan(n, a, w, v); }

}  // namespace lutra::dense
