#include <algorithm>

#include "core/parallel.h"
#include "kernels/lapack/factorise.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/turn.h"

namespace lutra::lapack {
namespace {

template <class T> T* parts(Complex<T>* numbers) { return reinterpret_cast<T*>(numbers); }
template <class T> const T* parts(const Complex<T>* numbers) { return reinterpret_cast<const T*>(numbers); }

template <class T> void conjugate(std::vector<Complex<T>>& numbers) {
  for (Complex<T>& number : numbers) number.im = -number.im;
}

}  // namespace

template <class T> bool Lu<Complex<T>>::factorise(int64_t n, Complex<T>* a) {
  n_ = n;
  factors_ = a;
  pivots_.resize(static_cast<std::size_t>(n));
  int size = static_cast<int>(n), info = 0;
  Call call;
  functions<T>().complex_getrf(&size, &size, parts(a), &size, pivots_.data(), &info);
  return info == 0;
}

// The factors are those of a^T. a^H x = b is a^T conj(x) = conj(b).
template <class T> void Lu<Complex<T>>::solve(int64_t columns, Complex<T>* b, bool adjoint) const {
  // The same pieces on any number of threads, so that sums have the same order.
  constexpr int64_t kPiece = 64;
  parallel_for((columns + kPiece - 1) / kPiece, 1, [&](int64_t first, int64_t last) {
    for (int64_t begin = first * kPiece; begin < std::min(last * kPiece, columns); begin += kPiece) {
      solve_piece(std::min(kPiece, columns - begin), b + begin, columns, adjoint);
    }
  });
}

template <class T> void Lu<Complex<T>>::solve_piece(int64_t columns, Complex<T>* b, int64_t step, bool adjoint) const {
  std::vector<Complex<T>> by_columns(static_cast<std::size_t>(n_ * columns));
  turn(b, step, n_, columns, by_columns.data(), n_);
  if (adjoint) conjugate(by_columns);
  int size = static_cast<int>(n_), count = static_cast<int>(columns), info = 0;
  {
    Call call;
    functions<T>().complex_getrs(adjoint ? "N" : "T", &size, &count, parts(factors_), &size, pivots_.data(),
                                 parts(by_columns.data()), &size, &info, 1);
  }
  if (adjoint) conjugate(by_columns);
  turn(by_columns.data(), n_, columns, n_, b, step);
}

template class Lu<Complex64>;
template class Lu<Complex128>;

}  // namespace lutra::lapack
