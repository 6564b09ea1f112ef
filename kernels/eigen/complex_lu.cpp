#include "kernels/eigen/complex_lu.h"

#include <Eigen/LU>
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

ComplexDeterminant ComplexLu::determinant() const {
  const auto& lu = factors_->lu;
  std::complex<double> value(static_cast<double>(lu.permutationP().determinant())), sign = value;
  double log = 0;
  for (const std::complex<double>& pivot : lu.matrixLU().diagonal()) {
    const double size = std::abs(pivot);
    sign = size == 0 ? 0 : sign * (pivot / size);
    log += std::log(size);
    value *= pivot;
  }
  return {.sign = {sign.real(), sign.imag()}, .log = log, .value = {value.real(), value.imag()}};
}

}  // namespace lutra
