// Eigenvalues of symmetric matrices and exponentials.

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
