#include "kernels/eigen/eig.h"

#include <Eigen/Eigenvalues>
#include <complex>

#include "kernels/eigen/matrices.h"

namespace lutra {
namespace {

template <class Solver, class Matrix> void solve(const Matrix& matrix, Complex128* w, Complex128* v) {
  const int64_t n = matrix.rows();
  auto values = rows_of(w, n, 1);
  if (matrix.allFinite()) {
    Solver found(matrix, v != nullptr);
    if (found.info() == Eigen::Success) {
      values = found.eigenvalues();
      if (v != nullptr) rows_of(v, n, n) = found.eigenvectors();
      return;
    }
  }
  values.setConstant(not_a_number<Complex128>());
  if (v != nullptr) rows_of(v, n, n).setConstant(not_a_number<Complex128>());
}

}  // namespace

void eig(int64_t n, const double* a, Complex128* w, Complex128* v) {
  const Columns matrix = rows_of(a, n, n);
  solve<Eigen::EigenSolver<Columns>>(matrix, w, v);
}

void eig(int64_t n, const Complex128* a, Complex128* w, Complex128* v) {
  const Eigen::MatrixXcd matrix = rows_of(a, n, n);
  solve<Eigen::ComplexEigenSolver<Eigen::MatrixXcd>>(matrix, w, v);
}

}  // namespace lutra
