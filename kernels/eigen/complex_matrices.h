// Row-major memory of complex numbers as Eigen matrices.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>

#include "core/complex.h"

namespace lutra {

using ComplexRows = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Complex<double> and std::complex<double> are both two doubles.
inline Eigen::Map<ComplexRows> complex_rows(Complex128* data, int64_t rows, int64_t columns) {
  return {reinterpret_cast<std::complex<double>*>(data), rows, columns};
}
inline Eigen::Map<const ComplexRows> complex_rows(const Complex128* data, int64_t rows, int64_t columns) {
  return {reinterpret_cast<const std::complex<double>*>(data), rows, columns};
}

}  // namespace lutra
