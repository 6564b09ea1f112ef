// Eigenvalues of symmetric and Hermitian matrices, and exponentials.

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "kernels/eigen/factorise.h"
#include "kernels/eigen/matrices.h"
#include "kernels/element/pade.h"

namespace lutra {

template <class Number> void eigh(int64_t n, const Number* a, double* w, Number* v) {
  using Matrix = ColumnsOf<Number>;
  auto values = rows_of(w, n, 1);
  Matrix lower = rows_of(a, n, n).template triangularView<Eigen::Lower>();
  if (!lower.allFinite()) {
    values.setConstant(not_a_number<double>());
    if (v != nullptr) rows_of(v, n, n).setConstant(not_a_number<Number>());
    return;
  }
  make_diagonal_real(lower);
  Eigen::SelfAdjointEigenSolver<Matrix> found(lower,
                                              v != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  values = found.eigenvalues();
  if (v != nullptr) rows_of(v, n, n) = found.eigenvectors();
}

namespace {

// The odd and the even part of the Pade approximant with these coefficients, the highest even power last.
template <class Matrix> struct Parts { Matrix odd, even; };
template <class Matrix> Parts<Matrix> pade_parts(const Matrix& a, const double* b, int order) {
  Matrix identity = Matrix::Identity(a.rows(), a.rows()), square = a * a, power = square;
  Matrix odd = b[1] * identity, even = b[0] * identity;
  for (int i = 2; i < order; i += 2) {
    odd += b[i + 1] * power;
    even += b[i] * power;
    if (i + 2 < order) power = Matrix(power * square);
  }
  return {a * odd, even};
}

}  // namespace

template <class Number> void expm(int64_t n, const Number* a, Number* exponential) {
  using Matrix = ColumnsOf<Number>;
  auto result = rows_of(exponential, n, n);
  Matrix matrix = rows_of(a, n, n);
  if (!matrix.allFinite()) {
    result.setConstant(not_a_number<Number>());
    return;
  }
  const double norm = matrix.cwiseAbs().colwise().sum().maxCoeff();
  const Pade pade = choose_pade<double>(norm);
  if (pade.squarings > 0) matrix *= std::ldexp(1.0, -pade.squarings);
  const Parts<Matrix> parts = pade_parts(matrix, pade.coefficients, pade.order);
  Matrix power = Matrix(parts.even - parts.odd).partialPivLu().solve(Matrix(parts.even + parts.odd));
  for (int i = 0; i < pade.squarings; ++i) power = Matrix(power * power);
  result = power;
}

template void eigh(int64_t, const double*, double*, double*);
template void eigh(int64_t, const Complex128*, double*, Complex128*);
template void expm(int64_t, const double*, double*);
template void expm(int64_t, const Complex128*, Complex128*);

}  // namespace lutra
