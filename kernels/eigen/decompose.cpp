// Determinants, LU, eigenvalues of symmetric matrices and exponentials.

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/eigen/factorise.h"
#include "kernels/eigen/matrices.h"

namespace lutra {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void Determinant::times(double pivot) {
  sign *= pivot > 0 ? 1 : pivot < 0 ? -1 : pivot == 0 ? 0 : kNan;
  log += std::log(std::fabs(pivot));
  value *= pivot;
}

Determinant determinant(int64_t n, const double* a) {
  Eigen::PartialPivLU<Columns> lu(rows_of(a, n, n));
  Determinant found;
  found.sign = found.value = static_cast<double>(lu.permutationP().determinant());
  for (int64_t i = 0; i < n; ++i) found.times(lu.matrixLU()(i, i));
  return found;
}

// Eigen factorises square matrices. To a tall one, columns of zeros are added, which change nothing before them; of a
// wide one the first columns are factorised, and u's others follow.
void lu(int64_t m, int64_t n, const double* a, double* p, double* l, double* u) {
  int64_t k = std::min(m, n);
  auto matrix = rows_of(a, m, n);
  Columns square = Columns::Zero(m, m);
  square.leftCols(k) = matrix.leftCols(k);
  Eigen::PartialPivLU<Columns> found(square);
  Columns packed = found.matrixLU();
  auto lower = rows_of(l, m, k);
  lower = packed.leftCols(k).triangularView<Eigen::StrictlyLower>();
  lower.diagonal().setOnes();
  auto upper = rows_of(u, k, n);
  upper.setZero();
  upper.leftCols(k) = packed.topLeftCorner(k, k).triangularView<Eigen::Upper>();
  if (n > k) {
    Columns rest = found.permutationP() * matrix.rightCols(n - k);
    packed.topLeftCorner(k, k).triangularView<Eigen::UnitLower>().solveInPlace(rest);
    upper.rightCols(n - k) = rest;
  }
  rows_of(p, m, m) = Columns(found.permutationP().transpose() * Columns::Identity(m, m));
}

void eigh(int64_t n, const double* a, double* w, double* v) {
  Columns matrix = rows_of(a, n, n);
  auto values = rows_of(w, n, 1);
  Columns lower = matrix.triangularView<Eigen::Lower>();
  if (!lower.allFinite()) {
    values.setConstant(kNan);
    if (v != nullptr) rows_of(v, n, n).setConstant(kNan);
    return;
  }
  Eigen::SelfAdjointEigenSolver<Columns> found(lower,
                                               v != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  values = found.eigenvalues();
  if (v != nullptr) rows_of(v, n, n) = found.eigenvectors();
}

namespace {

// The odd and the even part of the Pade approximant with these coefficients, the highest even power last.
struct Parts {
  Columns odd, even;
};
Parts pade_parts(const Columns& a, const double* b, int order) {
  Columns identity = Columns::Identity(a.rows(), a.rows()), square = a * a, power = square;
  Columns odd = b[1] * identity, even = b[0] * identity;
  for (int i = 2; i < order; i += 2) {
    odd += b[i + 1] * power;
    even += b[i] * power;
    if (i + 2 < order) power = Columns(power * square);
  }
  return {a * odd, even};
}

}  // namespace

void expm(int64_t n, const double* a, double* exponential) {
  static constexpr double k3[] = {120, 60, 12, 1}, k5[] = {30240, 15120, 3360, 420, 30, 1},
                          k7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1},
                          k9[] = {17643225600, 8821612800, 2075673600, 302702400, 30270240,
                                  2162160,     110880,     3960,       90,        1},
                          k13[] = {64764752532480000,
                                   32382376266240000,
                                   7771770303897600,
                                   1187353796428800,
                                   129060195264000,
                                   10559470521600,
                                   670442572800,
                                   33522128640,
                                   1323241920,
                                   40840800,
                                   960960,
                                   16380,
                                   182,
                                   1};
  auto result = rows_of(exponential, n, n);
  Columns matrix = rows_of(a, n, n);
  if (!matrix.allFinite()) {
    result.setConstant(kNan);
    return;
  }
  const double norm = matrix.cwiseAbs().colwise().sum().maxCoeff();
  int squarings = 0;
  Parts parts;
  // Up to these norms the approximants of order 3, 5, 7, 9 and 13 are exact to a double's digits.
  if (norm <= 1.495585217958292e-2) parts = pade_parts(matrix, k3, 3);
  else if (norm <= 2.539398330063230e-1) parts = pade_parts(matrix, k5, 5);
  else if (norm <= 9.504178996162932e-1) parts = pade_parts(matrix, k7, 7);
  else if (norm <= 2.097847961257068) parts = pade_parts(matrix, k9, 9);
  else {
    squarings = std::max(0, static_cast<int>(std::ceil(std::log2(norm / 5.371920351148152))));
    matrix *= std::ldexp(1.0, -squarings);
    parts = pade_parts(matrix, k13, 13);
  }
  Columns power = Columns(parts.even - parts.odd).partialPivLu().solve(Columns(parts.even + parts.odd));
  for (int i = 0; i < squarings; ++i) power = Columns(power * power);
  result = power;
}

}  // namespace lutra
