#include <Eigen/SVD>
#include <algorithm>
#include <type_traits>

#include "kernels/eigen/factorise.h"
#include "kernels/eigen/matrices.h"

namespace lutra {

// BDCSVD is the faster one from 16 columns on. For complex numbers it takes half a minute to compile.
template <class Number>
using Svd =
    std::conditional_t<kIsComplex<Number>, Eigen::JacobiSVD<ColumnsOf<Number>>, Eigen::BDCSVD<ColumnsOf<Number>>>;

template <class Number> void svd(int64_t m, int64_t n, const Number* a, Number* u, double* s, Number* vh) {
  int64_t k = std::min(m, n);
  auto left = rows_of(u, m, k);
  auto values = rows_of(s, k, 1);
  auto right = rows_of(vh, k, n);
  auto matrix = rows_of(a, m, n);
  if (!matrix.allFinite()) {
    left.setConstant(not_a_number<Number>());
    values.setConstant(not_a_number<double>());
    right.setConstant(not_a_number<Number>());
    return;
  }
  Svd<Number> found(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  left = found.matrixU();
  values = found.singularValues();
  right = found.matrixV().adjoint();
}

template void svd(int64_t, int64_t, const double*, double*, double*, double*);
template void svd(int64_t, int64_t, const Complex128*, Complex128*, double*, Complex128*);

}  // namespace lutra
