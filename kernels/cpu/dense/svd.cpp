// Singular values: Householder's reduction to a real bidiagonal matrix, then Golub and Kahan's implicit QR steps, with
// shifts or, where those would lose digits of small values, without (Demmel and Kahan, Accurate Singular Values of
// Bidiagonal Matrices, 1990). Tall matrices are reduced to their triangle first (Chan, 1982).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/product.h"
#include "kernels/cpu/dense/reflections.h"
#include "kernels/cpu/dense/rotations.h"

namespace lutra::dense {
namespace {

// Of a (m, n), m >= n, overwrites a: q^H a p has `diagonal` and, above it, `above`.
template <class Number>
void bidiagonalise(int64_t m, int64_t n, Number* a, Reflections<Number>& q, Reflections<Number>& p, double* diagonal,
                   double* above) {
  std::vector<Number> room(static_cast<std::size_t>(m + n));
  Number *work = room.data(), *factors = work + n;
  for (int64_t k = 0; k < n; ++k) {
    Number* corner = a + k * (n + 1);
    Number* v = q.vector(k);
    for (int64_t i = 0; i < m - k; ++i) v[i] = corner[i * n];
    const Reflection<Number> left = make_reflection(m - k, v);
    q.set_tau(k, left.tau);
    diagonal[k] = left.first;
    const int64_t rest = n - k - 1;
    if (rest == 0) break;
    reflect_from_left(m - k, rest, v, conjugate(left.tau), corner + 1, n, work, factors);
    // Of the row's adjoint, since p's reflections act from the right.
    Number* u = p.vector(k);
    for (int64_t j = 0; j < rest; ++j) u[j] = conjugate(corner[1 + j]);
    const Reflection<Number> right = make_reflection(rest, u);
    p.set_tau(k, right.tau);
    above[k] = right.first;
    reflect_from_right(m - k - 1, rest, u, right.tau, corner + n + 1, n, work);
  }
}

// A block of the bidiagonal matrix that no zero above the diagonal divides, with at least two rows: from its large end
// to its small end. Read backwards, it is the transpose of an upper bidiagonal matrix.
class BidiagonalBlock {
 public:
  BidiagonalBlock(int64_t first, int64_t last, double* diagonal, double* above, DelayedRotations& left,
                  DelayedRotations& right)
      : size_(last - first + 1),
        is_turned_(std::fabs(diagonal[first]) < std::fabs(diagonal[last])),
        at_(is_turned_ ? last : first),
        step_(is_turned_ ? -1 : 1),
        diagonal_(diagonal + at_),
        above_(is_turned_ ? above + last - 1 : above + first),
        left_(is_turned_ ? right : left),
        right_(is_turned_ ? left : right) {}

  void take_step() {
    // A lower bound of the smallest singular value, and one of the largest.
    double least = std::fabs(d(0)), at = least, most = least;
    for (int64_t i = 0; i + 1 < size_ && at != 0; ++i) {
      at = std::fabs(d(i + 1)) * (at / (at + std::fabs(e(i))));
      least = std::min(least, at);
      most = std::max({most, std::fabs(d(i + 1)), std::fabs(e(i))});
    }
    const double shift = smaller_value(d(size_ - 2), e(size_ - 2), d(size_ - 1));
    const double ratio = shift / std::fabs(d(0));
    const bool would_lose =
        !(least > 0) || !(static_cast<double>(size_) * least > kEpsilon * most) || !(ratio * ratio > kEpsilon);
    if (would_lose) step_without_shift();
    else step_with(shift);
  }

 private:
  double& d(int64_t i) { return diagonal_[i * step_]; }
  double& e(int64_t i) { return above_[i * step_]; }

  // The smaller singular value of {{f, g}, {0, h}}, by the sum and the difference of the two.
  static double smaller_value(double f, double g, double h) {
    f = std::fabs(f), h = std::fabs(h);
    const double larger = 0.5 * (std::hypot(f + h, g) + std::hypot(f - h, g));
    return larger == 0 ? 0 : std::min(f, h) * (std::max(f, h) / larger);
  }

  void rotate(DelayedRotations& rows, int64_t i, const Rotation& r) {
    rows.rotate(at_ + i * step_, at_ + (i + 1) * step_, r.c, r.s);
  }

  void step_with(double shift) {
    double f = (std::fabs(d(0)) - shift) * (std::copysign(1.0, d(0)) + shift / d(0)), g = e(0);
    for (int64_t i = 0; i + 1 < size_; ++i) {
      const Rotation right = rotation_to_zero(f, g);
      if (i > 0) e(i - 1) = right.length;
      f = right.c * d(i) + right.s * e(i);
      e(i) = right.c * e(i) - right.s * d(i);
      g = right.s * d(i + 1);
      d(i + 1) *= right.c;
      const Rotation left = rotation_to_zero(f, g);
      d(i) = left.length;
      f = left.c * e(i) + left.s * d(i + 1);
      d(i + 1) = left.c * d(i + 1) - left.s * e(i);
      if (i + 2 < size_) {
        g = left.s * e(i + 1);
        e(i + 1) *= left.c;
      }
      rotate(right_, i, right);
      rotate(left_, i, left);
    }
    e(size_ - 2) = f;
  }

  void step_without_shift() {
    Rotation right{1, 0, 0}, left{1, 0, 0};
    for (int64_t i = 0; i + 1 < size_; ++i) {
      right = rotation_to_zero(d(i) * right.c, e(i));
      if (i > 0) e(i - 1) = left.s * right.length;
      left = rotation_to_zero(left.c * right.length, d(i + 1) * right.s);
      d(i) = left.length;
      rotate(right_, i, right);
      rotate(left_, i, left);
    }
    const double last = d(size_ - 1) * right.c;
    d(size_ - 1) = last * left.c;
    e(size_ - 2) = last * left.s;
  }

  int64_t size_;
  bool is_turned_;
  int64_t at_, step_;
  double *diagonal_, *above_;
  DelayedRotations &left_, &right_;
};

// `diagonal` becomes the singular values, in no order and of any sign; rotations of the rows of u^T and v^T are
// recorded. False if they are not found in so many steps that any matrix that is known takes fewer.
bool find_singular_values(int64_t n, double* diagonal, double* above, DelayedRotations& left, DelayedRotations& right) {
  int64_t steps = 60 * n;
  for (int64_t last = n - 1; last > 0;) {
    int64_t first = last;
    while (first > 0) {
      const double both = std::fabs(diagonal[first - 1]) + std::fabs(diagonal[first]);
      if (std::fabs(above[first - 1]) <= kEpsilon * both || std::fabs(above[first - 1]) < kNegligible) break;
      --first;
    }
    if (first == last) {
      --last;
      continue;
    }
    if (steps-- == 0) return false;
    BidiagonalBlock(first, last, diagonal, above, left, right).take_step();
  }
  left.finish();
  right.finish();
  return true;
}

// The vectors in rows: u^T (n, m) and v^T (n, n), in the order in which their values are found.
template <class Number> struct Vectors {
  bool are_found;
  std::vector<Number> left, right;
};

// Of a (m, n), m >= n, which is overwritten.
template <class Number> Vectors<Number> decompose(int64_t m, int64_t n, Number* a, double* s) {
  Reflections<Number> q(m, n, 0), p(n, n - 1, 1);
  std::vector<double> above(static_cast<std::size_t>(n));
  bidiagonalise(m, n, a, q, p, s, above.data());
  Vectors<Number> found{false, std::vector<Number>(static_cast<std::size_t>(m * n)),
                        std::vector<Number>(static_cast<std::size_t>(n * n))};
  q.form(n, a);
  transpose<false>(m, n, a, n, found.left.data(), m);
  p.form(n, a);
  transpose<false>(n, n, a, n, found.right.data(), n);
  DelayedRotations left(parts(found.left.data()), m * kParts<Number>),
      right(parts(found.right.data()), n * kParts<Number>);
  found.are_found = find_singular_values(n, s, above.data(), left, right);
  return found;
}

template <class Number> Vectors<Number> decompose_tall(int64_t m, int64_t n, Number* a, double* s) {
  if (m < n + n / 2) return decompose(m, n, a, s);
  std::vector<Number> q(static_cast<std::size_t>(m * n)), r(static_cast<std::size_t>(n * n));
  qr(m, n, a, q.data(), r.data());
  Vectors<Number> found = decompose(n, n, r.data(), s);
  // (q u)^T = u^T q^T
  std::vector<Number> left(static_cast<std::size_t>(m * n));
  add_product<Number>(n, m, n, {found.left.data(), n}, {q.data(), 1, n}, left.data(), m);
  found.left.swap(left);
  return found;
}

// False: no answer.
template <class Number> bool find_factors(int64_t m, int64_t n, const Number* a, Number* u, double* s, Number* vh) {
  const int64_t k = std::min(m, n), most = std::max(m, n);
  const double largest = largest_part(m * n, a);
  if (std::isnan(largest)) return false;
  // Of a wide matrix the adjoint is decomposed: a^H = v s u^H.
  const bool is_wide = m < n;
  std::vector<Number> matrix(static_cast<std::size_t>(m * n));
  if (is_wide) transpose<true>(m, n, a, n, matrix.data(), m);
  else std::copy_n(a, m * n, matrix.data());
  const int exponent = exponent_of(largest);
  times_power_of_two(m * n, matrix.data(), -exponent);
  std::vector<double> values(static_cast<std::size_t>(k));
  Vectors<Number> found = decompose_tall(most, k, matrix.data(), values.data());
  if (!found.are_found) return false;
  std::vector<int64_t> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), int64_t{0});
  auto size = [&](int64_t i) { return std::fabs(values[static_cast<std::size_t>(i)]); };
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return size(x) > size(y); });
  // Rows of vh are conjugates of rows of v^T, and columns of u rows of u^T; of a wide matrix u^T and v^T are exchanged.
  const Number *rows_of_u = is_wide ? found.right.data() : found.left.data(),
               *rows_of_v = is_wide ? found.left.data() : found.right.data();
  std::vector<Number> ordered(static_cast<std::size_t>(m * k));
  for (int64_t i = 0; i < k; ++i) {
    const int64_t from = order[static_cast<std::size_t>(i)];
    s[i] = std::ldexp(size(from), exponent);
    const double sign = std::signbit(values[static_cast<std::size_t>(from)]) ? -1 : 1;
    for (int64_t j = 0; j < n; ++j) vh[i * n + j] = sign * conjugate(rows_of_v[from * n + j]);
    std::copy_n(rows_of_u + from * m, m, ordered.data() + i * m);
  }
  transpose<false>(k, m, ordered.data(), m, u, k);
  return true;
}

}  // namespace

template <class Number> void svd(int64_t m, int64_t n, const Number* a, Number* u, double* s, Number* vh) {
  if (find_factors(m, n, a, u, s, vh)) return;
  const int64_t k = std::min(m, n);
  fill_nan(m * k, u);
  fill_nan(k, s);
  fill_nan(k * n, vh);
}

template void svd(int64_t, int64_t, const double*, double*, double*, double*);
template void svd(int64_t, int64_t, const Complex128*, Complex128*, double*, Complex128*);

}  // namespace lutra::dense
