#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "kernels/eigen/factorise.h"
#include "kernels/eigen/matrices.h"

namespace lutra {

void svd(int64_t m, int64_t n, const double* a, double* u, double* s, double* vt) {
  int64_t k = std::min(m, n);
  auto left = rows_of(u, m, k);
  auto values = rows_of(s, k, 1);
  auto right = rows_of(vt, k, n);
  auto matrix = rows_of(a, m, n);
  if (!matrix.allFinite()) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    left.setConstant(kNan);
    values.setConstant(kNan);
    right.setConstant(kNan);
    return;
  }
  Eigen::BDCSVD<Columns> found(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  left = found.matrixU();
  values = found.singularValues();
  right = found.matrixV().transpose();
}

}  // namespace lutra
