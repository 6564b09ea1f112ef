// Factorisations of one dense matrix by loops of our own: row-major in and out, nothing overlaps, no size is zero
// unless said. They run on the calling thread. Number is double or Complex128, whatever a tensor's dtype. Results have
// the same bits at every level of the processor. Scratch memory is a few times the matrix; std::bad_alloc when there is
// none. x^H is the conjugate transpose.
#pragma once

#include <cstdint>

#include "core/complex.h"

namespace lutra::dense {

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
// Only a's lower triangle is read. All nan if an element of it is not finite or no answer is found.
template <class Number> void eigh(int64_t n, const Number* a, double* w, Number* v);

// The exponential of a (n, n), by Pade approximants with scaling and squaring (Higham, 2005). All nan if an element of
// a is not finite.
template <class Number> void expm(int64_t n, const Number* a, Number* exponential);

// a (m, n) = u (m, k) diag(s) vh (k, n), s descending. All nan if an element of a is not finite or
// no answer is found.
template <class Number> void svd(int64_t m, int64_t n, const Number* a, Number* u, double* s, Number* vh);

// The eigenvalues w of any a (n, n), in no order, and its eigenvectors of length 1, the columns of v, unless v is null.
// Those of a real matrix that are not real come in pairs that are exactly conjugate. All nan if an element of a is not
// finite or no answer is found.
void eig(int64_t n, const double* a, Complex128* w, Complex128* v);
void eig(int64_t n, const Complex128* a, Complex128* w, Complex128* v);

}  // namespace lutra::dense
