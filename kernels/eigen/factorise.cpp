#include "kernels/eigen/factorise.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>

#include "kernels/eigen/matrices.h"

namespace lutra {

bool cholesky(int64_t n, double* a) {
  // Read by columns, a's lower triangle is an upper one: l l^T becomes u^T u.
  Eigen::Map<Columns> turned(a, n, n);
  Eigen::LLT<Eigen::Ref<Columns>, Eigen::Upper> in_place(turned);
  turned.triangularView<Eigen::StrictlyLower>().setZero();
  return in_place.info() == Eigen::Success;
}

void solve_triangular(int64_t n, const double* t, bool lower, bool transposed, int64_t columns, double* b) {
  if (columns == 0) return;
  auto matrix = rows_of(t, n, n);
  auto x = rows_of(b, n, columns);
  if (lower && transposed) matrix.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  else if (lower) matrix.triangularView<Eigen::Lower>().solveInPlace(x);
  else if (transposed) matrix.transpose().triangularView<Eigen::Lower>().solveInPlace(x);
  else matrix.triangularView<Eigen::Upper>().solveInPlace(x);
}

void qr(int64_t m, int64_t n, const double* a, double* q, double* r) {
  int64_t k = std::min(m, n);
  Columns packed = rows_of(a, m, n);
  Eigen::HouseholderQR<Eigen::Ref<Columns>> in_place(packed);
  Columns basis = Columns::Identity(m, k);
  basis.applyOnTheLeft(in_place.householderQ());
  rows_of(q, m, k) = basis;
  auto upper = rows_of(r, k, n);
  upper.setZero();
  upper.triangularView<Eigen::Upper>() = packed.topRows(k);
}

}  // namespace lutra
