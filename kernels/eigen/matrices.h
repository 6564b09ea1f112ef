// Row-major memory as Eigen matrices.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/complex.h"

namespace lutra {

// Complex128 and std::complex<double> are both two doubles.
template <class Number>
using EigenNumber = std::conditional_t<std::is_same_v<Number, Complex128>, std::complex<double>, double>;
inline double from_eigen(double number) { return number; }
inline Complex128 from_eigen(std::complex<double> number) { return {number.real(), number.imag()}; }

template <class Number> using ColumnsOf = Eigen::Matrix<EigenNumber<Number>, Eigen::Dynamic, Eigen::Dynamic>;
template <class Number>
using RowsOf = Eigen::Matrix<EigenNumber<Number>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Columns = ColumnsOf<double>;

template <class Number> Eigen::Map<const RowsOf<Number>> rows_of(const Number* data, int64_t rows, int64_t columns) {
  return {reinterpret_cast<const EigenNumber<Number>*>(data), rows, columns};
}
template <class Number> Eigen::Map<RowsOf<Number>> rows_of(Number* data, int64_t rows, int64_t columns) {
  return {reinterpret_cast<EigenNumber<Number>*>(data), rows, columns};
}

// Of a Hermitian matrix, the imaginary parts of the diagonal are 0, whatever is there.
template <class Matrix> void make_diagonal_real(Matrix& matrix) {
  using Number = typename Matrix::Scalar;
  if constexpr (Eigen::NumTraits<Number>::IsComplex) {
    matrix.diagonal() = matrix.diagonal().real().template cast<Number>();
  }
}

template <class Number> EigenNumber<Number> not_a_number() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (kIsComplex<Number>) return {nan, nan};
  else return nan;
}

}  // namespace lutra
