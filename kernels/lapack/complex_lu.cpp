#include "kernels/lapack/blocked.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"
#include "kernels/lapack/turn.h"

namespace lutra::lapack {
namespace {

template <class T> T* parts(Complex<T>* numbers) { return reinterpret_cast<T*>(numbers); }
template <class T> const T* parts(const Complex<T>* numbers) { return reinterpret_cast<const T*>(numbers); }

template <class T> void conjugate(std::vector<Complex<T>>& numbers) {
  for (Complex<T>& number : numbers) number.im = -number.im;
}

}  // namespace

template <class T> bool factorise_lu(int64_t m, int64_t n, Complex<T>* a, std::vector<int>& pivots) {
  pivots.resize(static_cast<std::size_t>(std::min(m, n)));
  const int rows = static_cast<int>(m), columns = static_cast<int>(n);
  int info = 0;
  Call call;
  functions<T>().complex_getrf(&rows, &columns, parts(a), &rows, pivots.data(), &info);
  return info == 0;
}

// x a = b is a^T x^T = b^T. x a^H = b is a conj(x^T) = conj(b^T).
template <class T>
void solve_by_lu(int64_t rows, int64_t n, const Complex<T>* factors, const std::vector<int>& pivots, bool transposed,
                 Complex<T>* b) {
  // 64 columns of 512 numbers, turned, fit the second cache.
  for_pieces_of(64, rows, n * n, [&](int64_t begin, int64_t end) {
    const int size = static_cast<int>(n), count = static_cast<int>(end - begin);
    std::vector<Complex<T>> turned(static_cast<std::size_t>(n * (end - begin)));
    turn(b + begin, rows, n, end - begin, turned.data(), n);
    if (transposed) conjugate(turned);
    int info = 0;
    functions<T>().complex_getrs(transposed ? "N" : "T", &size, &count, parts(factors), &size, pivots.data(),
                                 parts(turned.data()), &size, &info, 1);
    if (transposed) conjugate(turned);
    turn(turned.data(), n, end - begin, n, b + begin, rows);
  });
}

template bool factorise_lu(int64_t, int64_t, Complex64*, std::vector<int>&);
template bool factorise_lu(int64_t, int64_t, Complex128*, std::vector<int>&);
template void solve_by_lu(int64_t, int64_t, const Complex64*, const std::vector<int>&, bool, Complex64*);
template void solve_by_lu(int64_t, int64_t, const Complex128*, const std::vector<int>&, bool, Complex128*);

}  // namespace lutra::lapack
