#include "kernels/eigen/complex_lu.h"

#include <Eigen/LU>
#include <cmath>
#include <complex>

#include "kernels/eigen/complex_matrices.h"

namespace lutra {

struct ComplexLu::Factors {
  Eigen::PartialPivLU<Eigen::MatrixXcd> lu;
};

ComplexLu::ComplexLu() : factors_(std::make_unique<Factors>()) {}
ComplexLu::~ComplexLu() = default;

bool ComplexLu::factorise(int64_t n, const Complex128* a) {
  factors_->lu.compute(complex_rows(a, n, n));
  return (factors_->lu.matrixLU().diagonal().array() != std::complex<double>(0)).all();
}

void ComplexLu::invert(Complex128* inverse) const {
  const auto& lu = factors_->lu;
  complex_rows(inverse, lu.rows(), lu.rows()) = lu.inverse();
}

void ComplexLu::solve(int64_t columns, Complex128* b, bool adjoint) const {
  if (columns == 0) return;
  const auto& lu = factors_->lu;
  auto rows = complex_rows(b, lu.rows(), columns);
  using Eigen::MatrixXcd;
  const MatrixXcd solution = adjoint ? MatrixXcd(lu.adjoint().solve(rows)) : MatrixXcd(lu.solve(rows));
  rows = solution;
}

void ComplexDeterminant::times(Complex128 pivot) {
  const double size = std::hypot(pivot.re, pivot.im);
  sign = size == 0 ? Complex128(0) : sign * Complex128(pivot.re / size, pivot.im / size);
  log += std::log(size);
  value *= pivot;
}

ComplexDeterminant ComplexLu::determinant() const {
  const auto& lu = factors_->lu;
  ComplexDeterminant found;
  found.sign = found.value = Complex128(static_cast<double>(lu.permutationP().determinant()));
  for (const std::complex<double>& pivot : lu.matrixLU().diagonal()) found.times({pivot.real(), pivot.imag()});
  return found;
}

}  // namespace lutra
