// Factorisations of one matrix by the system's LAPACK: row-major in and out, nothing overlaps, no size is zero. T is
// float, double or a complex number of them. LAPACK sees a row-major matrix as its transpose, which is factorised
// instead. Scratch memory is ours and the library's; std::bad_alloc when there is none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/complex.h"

namespace lutra::lapack {

// Whether matrices (m, n) can be computed here: there is a library, and its 32-bit integers suffice. The first call
// opens it.
bool is_here(int64_t m, int64_t n);

// As in kernels/cpu/dense/dense.h.
template <class T> bool cholesky(int64_t n, T* a);
template <class T> void solve_triangular(int64_t n, const T* t, bool lower, bool adjoint, int64_t columns, T* b);
template <class T> void qr(int64_t m, int64_t n, const T* a, T* q, T* r);
template <class T> void lu(int64_t m, int64_t n, const T* a, T* p, T* l, T* u);
// In float32 the squarings lose some digits of large exponentials, as PyTorch's and SciPy's do.
template <class T> void expm(int64_t n, const T* a, T* exponential);
// In place.
template <class T> bool invert(int64_t n, T* a);

// These overwrite a, and are false if no answer was found; then the results are meaningless.
template <class T> bool svd(int64_t m, int64_t n, T* a, T* u, T* s, T* vh);
template <class T> bool svd(int64_t m, int64_t n, Complex<T>* a, Complex<T>* u, T* s, Complex<T>* vh);
template <class T> bool eigh(int64_t n, T* a, T* w, T* v);
template <class T> bool eigh(int64_t n, Complex<T>* a, T* w, Complex<T>* v);
template <class T> bool eig(int64_t n, T* a, Complex<T>* w, Complex<T>* v);
template <class T> bool eig(int64_t n, Complex<T>* a, Complex<T>* w, Complex<T>* v);

template <class T> class Lu {
 public:
  // In place: solve() uses the factors in a.
  bool factorise(int64_t n, T* a);
  void solve(int64_t columns, T* b, bool adjoint) const;
  // Pivot i of n, negative where a row was exchanged for it, and so the sign of the determinant changed.
  T pivot(int64_t i) const {
    T value = factors_[i * n_ + i];
    return pivots_[static_cast<std::size_t>(i)] == i + 1 ? value : -value;
  }

 private:
  int64_t n_ = 0;
  const T* factors_ = nullptr;
  std::vector<int> pivots_;
};

}  // namespace lutra::lapack
