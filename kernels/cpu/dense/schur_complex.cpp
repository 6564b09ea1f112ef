// The QR algorithm with one shift per step, for complex Hessenberg matrices (Golub and Van Loan, 7.5).
#include <algorithm>
#include <cmath>

#include "kernels/cpu/dense/numbers.h"
#include "kernels/cpu/dense/schur.h"

namespace lutra::dense {
namespace {

Complex128 square_root(Complex128 x) {
  const double size = absolute(x);
  if (size == 0) return Complex128(0);
  const double larger = std::sqrt(0.5 * (size + std::fabs(x.re))), smaller = 0.5 * x.im / larger;
  if (x.re >= 0) return {larger, smaller};
  return {std::fabs(smaller), std::copysign(larger, x.im)};
}

// {{c, s}, {-conj(s), c}} makes (x, y) to (first, 0).
struct ComplexRotation {
  double c;
  Complex128 s, first;
};
ComplexRotation rotate_scaled(Complex128 x, Complex128 y) {
  const double size_x = absolute(x), size_y = absolute(y);
  if (size_y == 0) return {1, Complex128(0), x};
  if (size_x == 0) return {0, (1 / size_y) * conjugate(y), Complex128(size_y)};
  const double length = std::hypot(size_x, size_y);
  const Complex128 phase{x.re / size_x, x.im / size_x};
  const Complex128 part{y.re / length, -y.im / length};
  return {size_x / length, phase * part, length * phase};
}

ComplexRotation rotate_to_zero(Complex128 x, Complex128 y) {
  if (std::max(size_of(x), size_of(y)) < 0x1p-900) {
    // Numbers so small have few digits, and quotients would lose them.
    constexpr double kUp = 0x1p600;
    ComplexRotation r = rotate_scaled(kUp * x, kUp * y);
    r.first = (1 / kUp) * r.first;
    return r;
  }
  return rotate_scaled(x, y);
}

// x = c x + s y, y = c y - conj(s) x
void rotate_rows(int64_t count, double c, Complex128 s, Complex128* __restrict x, Complex128* __restrict y) {
  for (int64_t j = 0; j < count; ++j) {
    const Complex128 before = x[j];
    x[j] = c * before + s * y[j];
    y[j] = c * y[j] - conjugate(s) * before;
  }
}

class ComplexSchur {
 public:
  ComplexSchur(int64_t n, Complex128* h, Complex128* zt) : n_(n), h_(h), zt_(zt), norm_(largest_part(n * n, h)) {}

  bool find(Complex128* w) {
    int64_t tries = 0;
    for (int64_t last = n_ - 1; last >= 0;) {
      const int64_t first = begin_of_block(n_, h_, last, norm_);
      if (first == last) {
        w[last] = at(last, last);
        --last;
        tries = 0;
      } else {
        if (++tries > 60) return false;
        take_step(first, last, shift(last, tries));
      }
    }
    return true;
  }

 private:
  Complex128& at(int64_t i, int64_t j) { return h_[i * n_ + j]; }

  // The eigenvalue of the last 2 x 2 numbers that is nearer to the last one; every tenth time another.
  Complex128 shift(int64_t last, int64_t tries) {
    const Complex128 d = at(last, last), c = at(last, last - 1);
    if (tries % 10 == 0) return d + Complex128(0.75 * size_of(c));
    const Complex128 half = 0.5 * (at(last - 1, last - 1) - d), product = c * at(last - 1, last);
    if (is_zero(product)) return d;
    Complex128 root = square_root(half * half + product);
    if (half.re * root.re + half.im * root.im < 0) root = -root;
    const Complex128 sum = half + root;
    return is_zero(sum) ? d : d - divide(product, sum);
  }

  void take_step(int64_t first, int64_t last, Complex128 shift) {
    // What is outside of the block does not change its eigenvalues.
    const bool is_whole = zt_ != nullptr;
    const int64_t right = is_whole ? n_ : last + 1, top = is_whole ? 0 : first;
    Complex128 x = at(first, first) - shift, y = at(first + 1, first);
    for (int64_t k = first; k < last; ++k) {
      if (k > first) {
        x = at(k, k - 1);
        y = at(k + 1, k - 1);
      }
      const ComplexRotation r = rotate_to_zero(x, y);
      if (k > first) {
        at(k, k - 1) = r.first;
        at(k + 1, k - 1) = Complex128(0);
      }
      rotate_rows(right - k, r.c, r.s, h_ + k * n_ + k, h_ + (k + 1) * n_ + k);
      for (int64_t i = top; i <= std::min(last, k + 2); ++i) {
        Complex128* pair = h_ + i * n_ + k;
        const Complex128 before = pair[0];
        pair[0] = r.c * before + conjugate(r.s) * pair[1];
        pair[1] = r.c * pair[1] - r.s * before;
      }
      if (is_whole) rotate_rows(n_, r.c, conjugate(r.s), zt_ + k * n_, zt_ + (k + 1) * n_);
    }
  }

  int64_t n_;
  Complex128 *h_, *zt_;
  double norm_;
};

}  // namespace

bool find_schur(int64_t n, Complex128* h, Complex128* zt, Complex128* w) { return ComplexSchur(n, h, zt).find(w); }

}  // namespace lutra::dense
