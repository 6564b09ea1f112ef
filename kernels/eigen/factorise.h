// Factorisations of one matrix by Eigen: row-major in and out, nothing overlaps, no size is zero unless said. They run
// on the calling thread. Number is double or Complex128 whatever a tensor's dtype: Eigen is slow to compile. They are
// compiled for every level of the processor; with wider vectors and fma sums round differently, far below float32.
// Their scratch memory, about as much as the matrix, is Eigen's own; std::bad_alloc when there is none.
// x^H is the conjugate transpose.
#pragma once

#include <cstdint>

#include "core/complex.h"

namespace lutra {

// Of a (n, n), in place: the lower triangle becomes l with a = l l^H, the upper zeros. Only a's lower triangle is read.
// False if a is not positive definite; then a's contents mean nothing.
template <class Number> bool cholesky(int64_t n, Number* a);

// t x = b for the lower or upper triangle of t (n, n), or for its adjoint t^H; b (n, columns) in place, columns may be
// 0. A zero on the diagonal gives inf and nan.
template <class Number>
void solve_triangular(int64_t n, const Number* t, bool lower, bool adjoint, int64_t columns, Number* b);

// a (m, n) = q (m, k) r (k, n), k the smaller of m and n; q's columns are orthonormal, r is upper triangular with a
// real diagonal. Householder reflections as LAPACK's geqrf makes them, so signs are NumPy's.
template <class Number> void qr(int64_t m, int64_t n, const Number* a, Number* q, Number* r);

// The eigenvalues w of a (n, n) = a^H, ascending, and its orthonormal eigenvectors, the columns of v, unless v is null.
// Only a's lower triangle is read. All nan if an element of it is not finite.
template <class Number> void eigh(int64_t n, const Number* a, double* w, Number* v);

// The exponential of a (n, n), by Pade approximants with scaling and squaring (Higham, 2005). All nan if an element of
// a is not finite.
template <class Number> void expm(int64_t n, const Number* a, Number* exponential);

// a (m, n) = u (m, k) diag(s) vh (k, n), s descending. All nan if an element of a is not finite.
template <class Number> void svd(int64_t m, int64_t n, const Number* a, Number* u, double* s, Number* vh);

}  // namespace lutra
