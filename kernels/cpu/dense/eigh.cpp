// Eigenvalues of symmetric and Hermitian matrices: Householder's reduction to a real tridiagonal matrix, then implicit
// QL steps with Wilkinson's shifts (Golub and Van Loan, 8.3; Dubrulle, Martin and Wilkinson, The Implicit QL Algorithm,
// 1968).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/reflections.h"
#include "kernels/cpu/dense/rotations.h"

namespace lutra::dense {
namespace {

// Reduces a (n, n), of which both triangles are there, to `diagonal` and `beside`; row i of a is reflection i's work.
template <class Number>
void tridiagonalise(int64_t n, Number* a, Reflections<Number>& reflections, double* diagonal, double* beside) {
  std::vector<Number> work(static_cast<std::size_t>(3 * n));
  Number *w = work.data(), *w_adjoint = w + n, *v_adjoint = w_adjoint + n;
  for (int64_t k = 0; k + 1 < n; ++k) {
    diagonal[k] = real_part(a[k * (n + 1)]);
    const int64_t size = n - k - 1;
    Number* v = reflections.vector(k);
    for (int64_t i = 0; i < size; ++i) v[i] = conjugate(a[k * n + k + 1 + i]);
    const Reflection<Number> made = make_reflection(size, v);
    reflections.set_tau(k, made.tau);
    beside[k] = made.first;
    if (is_zero(made.tau)) continue;
    Number* rest = a + (k + 1) * (n + 1);
    // w = tau a v - (tau / 2) (w^H v) v, and a -= v w^H + w v^H. Row i of a is the adjoint of column i: v^H a is the
    // adjoint of a v.
    for (int64_t i = 0; i < size; ++i) v_adjoint[i] = conjugate(v[i]);
    std::fill_n(w_adjoint, size, Number(0));
    add_rows(size, size, rest, n, v_adjoint, w_adjoint);
    for (int64_t i = 0; i < size; ++i) w[i] = made.tau * conjugate(w_adjoint[i]);
    Number product(0);
    for (int64_t i = 0; i < size; ++i) product += conjugate(w[i]) * v[i];
    const Number half = 0.5 * (made.tau * product);
    for (int64_t i = 0; i < size; ++i) {
      w[i] -= half * v[i];
      w_adjoint[i] = conjugate(w[i]);
    }
    for (int64_t i = 0; i < size; ++i) {
      Number* __restrict row = rest + i * n;
      const Number vi = v[i], wi = w[i];
      for (int64_t j = 0; j < size; ++j) row[j] -= vi * w_adjoint[j] + wi * v_adjoint[j];
    }
  }
  diagonal[n - 1] = real_part(a[n * n - 1]);
}

// The eigenvalues of a tridiagonal matrix, in `diagonal`; its rotations are recorded. A number beside the diagonal is 0
// when it is a rounding of its neighbours. False if they are not found in so many steps that any matrix that is known
// takes fewer.
bool find_eigenvalues(int64_t n, double* diagonal, double* beside, DelayedRotations& rotations) {
  int64_t steps = 30 * n;
  beside[n - 1] = 0;
  for (int64_t first = 0; first < n; ++first) {
    for (;;) {
      int64_t last = first;
      while (last + 1 < n) {
        const double both = std::fabs(diagonal[last]) + std::fabs(diagonal[last + 1]);
        if (std::fabs(beside[last]) <= kEpsilon * both || std::fabs(beside[last]) < kNegligible) break;
        ++last;
      }
      if (last == first) break;
      if (steps-- == 0) return false;
      const double half = (diagonal[first + 1] - diagonal[first]) / (2 * beside[first]), root = std::hypot(half, 1);
      // The nearer eigenvalue of the first 2 x 2 matrix is the shift.
      double g = diagonal[last] - diagonal[first] + beside[first] / (half + std::copysign(root, half));
      double c = 1, s = 1, moved = 0;
      int64_t i = last - 1;
      for (; i >= first; --i) {
        const double f = s * beside[i], b = c * beside[i];
        const Rotation r = rotation_to_zero(g, f);
        beside[i + 1] = r.length;
        if (r.length == 0) break;
        c = r.c;
        s = r.s;
        g = diagonal[i + 1] - moved;
        const double next = (diagonal[i] - g) * s + 2 * c * b;
        moved = s * next;
        diagonal[i + 1] = g + moved;
        g = c * next - b;
        rotations.rotate(i + 1, i, c, s);
      }
      if (i >= first) {  // the matrix fell apart by underflow
        diagonal[i + 1] -= moved;
        beside[last] = 0;
        continue;
      }
      diagonal[first] -= moved;
      beside[first] = g;
      beside[last] = 0;
    }
  }
  rotations.finish();
  return true;
}

// False: no answer.
template <class Number> bool find_eigenvectors(int64_t n, const Number* a, double* w, Number* v) {
  double most = 0;
  for (int64_t i = 0; i < n && !std::isnan(most); ++i) {
    const double here = largest_part(i + 1, a + i * n);
    most = here <= most ? most : here;
  }
  if (std::isnan(most)) return false;
  std::vector<Number> matrix(static_cast<std::size_t>(n * n));
  for (int64_t i = 0; i < n; ++i) std::copy_n(a + i * n, i + 1, matrix.data() + i * n);
  const int exponent = exponent_of(most);
  times_power_of_two(n * n, matrix.data(), -exponent);
  for (int64_t i = 0; i < n; ++i) {
    matrix[static_cast<std::size_t>(i * (n + 1))] = Number(real_part(matrix[static_cast<std::size_t>(i * (n + 1))]));
    for (int64_t j = 0; j < i; ++j) {
      matrix[static_cast<std::size_t>(j * n + i)] = conjugate(matrix[static_cast<std::size_t>(i * n + j)]);
    }
  }
  Reflections<Number> reflections(n, n - 1, 1);
  std::vector<double> beside(static_cast<std::size_t>(n));
  tridiagonalise(n, matrix.data(), reflections, w, beside.data());
  if (v == nullptr) {
    DelayedRotations none(nullptr, 0);
    if (!find_eigenvalues(n, w, beside.data(), none)) return false;
  } else {
    // Rows of `vectors` become eigenvectors.
    std::vector<Number> vectors(static_cast<std::size_t>(n * n));
    reflections.form(n, matrix.data());
    transpose<false>(n, n, matrix.data(), n, vectors.data(), n);
    DelayedRotations rotations(parts(vectors.data()), n * kParts<Number>);
    if (!find_eigenvalues(n, w, beside.data(), rotations)) return false;
    std::vector<int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [w](int64_t x, int64_t y) { return w[x] < w[y]; });
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(vectors.data() + order[static_cast<std::size_t>(i)] * n, n, matrix.data() + i * n);
    }
    transpose<false>(n, n, matrix.data(), n, v, n);
  }
  std::sort(w, w + n);
  for (int64_t i = 0; i < n; ++i) w[i] = std::ldexp(w[i], exponent);
  return true;
}

}  // namespace

template <class Number> void eigh(int64_t n, const Number* a, double* w, Number* v) {
  if (find_eigenvectors(n, a, w, v)) return;
  fill_nan(n, w);
  if (v != nullptr) fill_nan(n * n, v);
}

template void eigh(int64_t, const double*, double*, double*);
template void eigh(int64_t, const Complex128*, double*, Complex128*);

}  // namespace lutra::dense
