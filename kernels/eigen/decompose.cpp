// Determinants, LU, eigenvalues of symmetric matrices and exponentials.

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/eigen/factorise.h"
#include "kernels/eigen/matrices.h"
#include "kernels/element/pade.h"

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
  auto result = rows_of(exponential, n, n);
  Columns matrix = rows_of(a, n, n);
  if (!matrix.allFinite()) {
    result.setConstant(kNan);
    return;
  }
  const double norm = matrix.cwiseAbs().colwise().sum().maxCoeff();
  const Pade pade = choose_pade<double>(norm);
  if (pade.squarings > 0) matrix *= std::ldexp(1.0, -pade.squarings);
  const Parts parts = pade_parts(matrix, pade.coefficients, pade.order);
  Columns power = Columns(parts.even - parts.odd).partialPivLu().solve(Columns(parts.even + parts.odd));
  for (int i = 0; i < pade.squarings; ++i) power = Columns(power * power);
  result = power;
}

}  // namespace lutra
