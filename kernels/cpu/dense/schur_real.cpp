// Francis' QR algorithm with two shifts per step (Golub and Van Loan, 7.5; Martin, Peters and Wilkinson, The QR
// Algorithm for Real Hessenberg Matrices, 1970).
#include <algorithm>
#include <cmath>

#include "kernels/cpu/dense/numbers.h"
#include "kernels/cpu/dense/rotations.h"
#include "kernels/cpu/dense/schur.h"

namespace lutra::dense {
namespace {

// The two shifts, by their sum's parts and their product: x and y are eigenvalues but for `product`.
struct Shifts {
  double x, y, product;
};

// I - tau v v^T with v = (1, v1, v2).
struct ThreeReflection {
  double tau, v1, v2, first;
};
ThreeReflection reflect_three(double x, double y, double z) {
  const double size = std::max({std::fabs(x), std::fabs(y), std::fabs(z)});
  if (size == 0 || (y == 0 && z == 0)) return {0, 0, 0, x};
  x /= size, y /= size, z /= size;
  const double first = -std::copysign(std::sqrt(x * x + y * y + z * z), x);
  return {(first - x) / first, y / (x - first), z / (x - first), first * size};
}

void reflect_rows(int64_t count, const ThreeReflection& r, double* __restrict x, double* __restrict y,
                  double* __restrict z) {
  for (int64_t j = 0; j < count; ++j) {
    const double sum = r.tau * (x[j] + r.v1 * y[j] + r.v2 * z[j]);
    x[j] -= sum;
    y[j] -= sum * r.v1;
    z[j] -= sum * r.v2;
  }
}
void reflect_two_rows(int64_t count, const ThreeReflection& r, double* __restrict x, double* __restrict y) {
  for (int64_t j = 0; j < count; ++j) {
    const double sum = r.tau * (x[j] + r.v1 * y[j]);
    x[j] -= sum;
    y[j] -= sum * r.v1;
  }
}

class RealSchur {
 public:
  RealSchur(int64_t n, double* h, double* zt, Complex128* w) : n_(n), h_(h), zt_(zt), w_(w) {
    norm_ = largest_part(n * n, h);
  }

  bool find() {
    int64_t tries = 0;
    for (int64_t last = n_ - 1; last >= 0;) {
      const int64_t first = begin_of_block(n_, h_, last, norm_);
      if (first == last) {
        w_[last] = Complex128(at(last, last));
        --last;
        tries = 0;
      } else if (first + 1 == last) {
        split_pair(first);
        last -= 2;
        tries = 0;
      } else {
        if (++tries > 60) return false;
        take_step(first, last, shifts(first, last, tries));
      }
    }
    return true;
  }

 private:
  double& at(int64_t i, int64_t j) { return h_[i * n_ + j]; }

  // Every tenth time others are tried, for the few matrices that come back to where they were.
  Shifts shifts(int64_t first, int64_t last, int64_t tries) {
    if (tries % 20 == 10) {
      const double s = std::fabs(at(first + 1, first)) + std::fabs(at(first + 2, first + 1));
      return {0.75 * s + at(first, first), 0.75 * s + at(first, first), -0.4375 * s * s};
    }
    if (tries % 20 == 0) {
      const double s = std::fabs(at(last, last - 1)) + std::fabs(at(last - 1, last - 2));
      return {0.75 * s + at(last, last), 0.75 * s + at(last, last), -0.4375 * s * s};
    }
    return {at(last, last), at(last - 1, last - 1), at(last, last - 1) * at(last - 1, last)};
  }

  void take_step(int64_t first, int64_t last, const Shifts& shifts) {
    // The step may begin below `first`, where two small numbers below the diagonal follow each other.
    int64_t m = last - 2;
    double p, q, r;
    for (;; --m) {
      const double here = at(m, m), x = shifts.x - here, y = shifts.y - here;
      p = (x * y - shifts.product) / at(m + 1, m) + at(m, m + 1);
      q = at(m + 1, m + 1) - here - x - y;
      r = at(m + 2, m + 1);
      if (m == first) break;
      const double beside = std::fabs(at(m, m - 1)) * (std::fabs(q) + std::fabs(r));
      const double around = std::fabs(at(m - 1, m - 1)) + std::fabs(here) + std::fabs(at(m + 1, m + 1));
      if (beside <= kEpsilon * std::fabs(p) * around) break;
    }
    // What is outside of the block does not change its eigenvalues.
    const bool is_whole = zt_ != nullptr;
    const int64_t right = is_whole ? n_ : last + 1, top = is_whole ? 0 : first;
    for (int64_t k = m; k < last; ++k) {
      const bool has_three = k + 2 <= last;
      if (k > m) {
        p = at(k, k - 1);
        q = at(k + 1, k - 1);
        r = has_three ? at(k + 2, k - 1) : 0;
      }
      const ThreeReflection v = reflect_three(p, q, r);
      if (k > m) {
        at(k, k - 1) = v.first;
        at(k + 1, k - 1) = 0;
        if (has_three) at(k + 2, k - 1) = 0;
      } else if (m > first) {
        at(k, k - 1) *= 1 - v.tau;
      }
      if (v.tau == 0) continue;
      double* row = h_ + k * n_ + k;
      double* z = is_whole ? zt_ + k * n_ : nullptr;
      const int64_t bottom = std::min(last, k + 3);
      if (has_three) {
        reflect_rows(right - k, v, row, row + n_, row + 2 * n_);
        if (is_whole) reflect_rows(n_, v, z, z + n_, z + 2 * n_);
        const double t1 = v.tau * v.v1, t2 = v.tau * v.v2;
        for (int64_t i = top; i <= bottom; ++i) {
          double* x = h_ + i * n_ + k;
          const double sum = x[0] + v.v1 * x[1] + v.v2 * x[2];
          x[0] -= v.tau * sum;
          x[1] -= t1 * sum;
          x[2] -= t2 * sum;
        }
      } else {
        reflect_two_rows(right - k, v, row, row + n_);
        if (is_whole) reflect_two_rows(n_, v, z, z + n_);
        for (int64_t i = top; i <= bottom; ++i) {
          double* x = h_ + i * n_ + k;
          const double sum = v.tau * (x[0] + v.v1 * x[1]);
          x[0] -= sum;
          x[1] -= sum * v.v1;
        }
      }
    }
  }

  // The eigenvalues of the block of 2 x 2 at i. If they are real, it becomes a triangle.
  void split_pair(int64_t i) {
    const double a = at(i, i), b = at(i, i + 1), c = at(i + 1, i), d = at(i + 1, i + 1);
    const double half = 0.5 * (a - d), square = half * half + b * c, root = std::sqrt(std::fabs(square));
    if (square < 0) {
      w_[i] = {d + half, root};
      w_[i + 1] = {d + half, -root};
      return;
    }
    // d + far is an eigenvalue, with the vector (far, c).
    const double far = half + std::copysign(root, half);
    const Rotation r = rotation_to_zero(far, c);
    const bool is_whole = zt_ != nullptr;
    rotate_rows_of(h_ + i * n_ + i, is_whole ? n_ - i : 2, r);
    // Not a difference beside a sum: see Complex's product.
    const double minus_s = -r.s;
    for (int64_t row = is_whole ? 0 : i; row < i + 2; ++row) {
      double* x = h_ + row * n_ + i;
      const double before = x[0];
      x[0] = r.c * before + r.s * x[1];
      x[1] = r.c * x[1] + minus_s * before;
    }
    if (is_whole) rotate_rows_of(zt_ + i * n_, n_, r);
    at(i + 1, i) = 0;
    w_[i] = Complex128(at(i, i));
    w_[i + 1] = Complex128(at(i + 1, i + 1));
  }

  void rotate_rows_of(double* __restrict x, int64_t count, const Rotation& r) {
    for (int64_t j = 0; j < count; ++j) {
      const double before = x[j];
      x[j] = r.c * before + r.s * x[n_ + j];
      x[n_ + j] = r.c * x[n_ + j] - r.s * before;
    }
  }

  int64_t n_;
  double *h_, *zt_;
  Complex128* w_;
  double norm_;
};

}  // namespace

bool find_schur(int64_t n, double* h, double* zt, Complex128* w) { return RealSchur(n, h, zt, w).find(); }

}  // namespace lutra::dense
