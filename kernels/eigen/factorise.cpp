#include "kernels/eigen/factorise.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>

#include "kernels/eigen/matrices.h"

namespace lutra {

template <class Number> bool cholesky(int64_t n, Number* a) {
  // Read by columns, a is its transpose and the lower triangle an upper one: a = l l^H becomes u^H u with u^T = l.
  Eigen::Map<ColumnsOf<Number>> turned(reinterpret_cast<EigenNumber<Number>*>(a), n, n);
  make_diagonal_real(turned);
  Eigen::LLT<Eigen::Ref<ColumnsOf<Number>>, Eigen::Upper> in_place(turned);
  turned.template triangularView<Eigen::StrictlyLower>().setZero();
  return in_place.info() == Eigen::Success;
}

template <class Number>
void solve_triangular(int64_t n, const Number* t, bool lower, bool adjoint, int64_t columns, Number* b) {
  if (columns == 0) return;
  auto matrix = rows_of(t, n, n);
  auto x = rows_of(b, n, columns);
  if (lower && adjoint) matrix.adjoint().template triangularView<Eigen::Upper>().solveInPlace(x);
  else if (lower) matrix.template triangularView<Eigen::Lower>().solveInPlace(x);
  else if (adjoint) matrix.adjoint().template triangularView<Eigen::Lower>().solveInPlace(x);
  else matrix.template triangularView<Eigen::Upper>().solveInPlace(x);
}

template <class Number> void qr(int64_t m, int64_t n, const Number* a, Number* q, Number* r) {
  using Matrix = ColumnsOf<Number>;
  int64_t k = std::min(m, n);
  Matrix packed = rows_of(a, m, n);
  Eigen::HouseholderQR<Eigen::Ref<Matrix>> in_place(packed);
  Matrix basis = Matrix::Identity(m, k);
  basis.applyOnTheLeft(in_place.householderQ());
  rows_of(q, m, k) = basis;
  auto upper = rows_of(r, k, n);
  upper.setZero();
  upper.template triangularView<Eigen::Upper>() = packed.topRows(k);
}

template bool cholesky(int64_t, double*);
template bool cholesky(int64_t, Complex128*);
template void solve_triangular(int64_t, const double*, bool, bool, int64_t, double*);
template void solve_triangular(int64_t, const Complex128*, bool, bool, int64_t, Complex128*);
template void qr(int64_t, int64_t, const double*, double*, double*);
template void qr(int64_t, int64_t, const Complex128*, Complex128*, Complex128*);

}  // namespace lutra
