// Row-major memory as Eigen matrices.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace lutra {

using Columns = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Map<const Rows> rows_of(const double* data, int64_t rows, int64_t columns) {
  return {data, rows, columns};
}
inline Eigen::Map<Rows> rows_of(double* data, int64_t rows, int64_t columns) { return {data, rows, columns}; }

}  // namespace lutra
