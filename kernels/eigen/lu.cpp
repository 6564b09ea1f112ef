#include "kernels/eigen/lu.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/eigen/matrices.h"

namespace lutra {
namespace {

// A pivot's sign: 0 of 0, nan of nan.
double sign_of(double pivot) {
  return pivot > 0 ? 1 : pivot < 0 ? -1 : pivot == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
}
Complex128 sign_of(Complex128 pivot) {
  const double size = std::hypot(pivot.re, pivot.im);
  return size == 0 ? Complex128(0) : Complex128(pivot.re / size, pivot.im / size);
}
double absolute(double pivot) { return std::fabs(pivot); }
double absolute(Complex128 pivot) { return std::hypot(pivot.re, pivot.im); }

}  // namespace

template <class Number> struct Lu<Number>::Factors { Eigen::PartialPivLU<ColumnsOf<Number>> lu; };

template <class Number> Lu<Number>::Lu() : factors_(std::make_unique<Factors>()) {}
template <class Number> Lu<Number>::~Lu() = default;

template <class Number> bool Lu<Number>::factorise(int64_t n, const Number* a) {
  factors_->lu.compute(rows_of(a, n, n));
  return (factors_->lu.matrixLU().diagonal().array() != EigenNumber<Number>(0)).all();
}

template <class Number> void Lu<Number>::invert(Number* inverse) const {
  const auto& lu = factors_->lu;
  rows_of(inverse, lu.rows(), lu.rows()) = lu.inverse();
}

template <class Number> void Lu<Number>::solve(int64_t columns, Number* b, bool adjoint) const {
  if (columns == 0) return;
  using Matrix = ColumnsOf<Number>;
  const auto& lu = factors_->lu;
  auto rows = rows_of(b, lu.rows(), columns);
  const Matrix solution = adjoint ? Matrix(lu.adjoint().solve(rows)) : Matrix(lu.solve(rows));
  rows = solution;
}

template <class Number> void Determinant<Number>::times(Number pivot) {
  sign *= sign_of(pivot);
  log += std::log(absolute(pivot));
  value *= pivot;
}

template <class Number> Determinant<Number> determinant(int64_t n, const Number* a) {
  const Eigen::PartialPivLU<ColumnsOf<Number>> lu(rows_of(a, n, n));
  Determinant<Number> found;
  found.sign = found.value = Number(static_cast<double>(lu.permutationP().determinant()));
  for (int64_t i = 0; i < n; ++i) found.times(from_eigen(lu.matrixLU()(i, i)));
  return found;
}

// Eigen factorises square matrices. To a tall one, columns of zeros are added, which change nothing before them; of a
// wide one the first columns are factorised, and u's others follow.
template <class Number> void lu(int64_t m, int64_t n, const Number* a, Number* p, Number* l, Number* u) {
  using Matrix = ColumnsOf<Number>;
  int64_t k = std::min(m, n);
  auto matrix = rows_of(a, m, n);
  Matrix square = Matrix::Zero(m, m);
  square.leftCols(k) = matrix.leftCols(k);
  Eigen::PartialPivLU<Matrix> found(square);
  Matrix packed = found.matrixLU();
  auto lower = rows_of(l, m, k);
  lower = packed.leftCols(k).template triangularView<Eigen::StrictlyLower>();
  lower.diagonal().setOnes();
  auto upper = rows_of(u, k, n);
  upper.setZero();
  upper.leftCols(k) = packed.topLeftCorner(k, k).template triangularView<Eigen::Upper>();
  if (n > k) {
    Matrix rest = found.permutationP() * matrix.rightCols(n - k);
    packed.topLeftCorner(k, k).template triangularView<Eigen::UnitLower>().solveInPlace(rest);
    upper.rightCols(n - k) = rest;
  }
  rows_of(p, m, m) = Matrix(found.permutationP().transpose() * Matrix::Identity(m, m));
}

template class Lu<double>;
template class Lu<Complex128>;
template struct Determinant<double>;
template struct Determinant<Complex128>;
template Determinant<double> determinant(int64_t, const double*);
template Determinant<Complex128> determinant(int64_t, const Complex128*);
template void lu(int64_t, int64_t, const double*, double*, double*, double*);
template void lu(int64_t, int64_t, const Complex128*, Complex128*, Complex128*, Complex128*);

}  // namespace lutra
