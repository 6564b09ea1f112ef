// Factorisations of one matrix by Eigen: row-major in and out, nothing overlaps, no size is zero unless said. They run
// on the calling thread, in double whatever a tensor's dtype: Eigen is slow to compile. They are compiled for every
// level of the processor; with wider vectors and fma sums round differently, far below float32. Their scratch memory,
// about as much as the matrix, is Eigen's own; std::bad_alloc when there is none.
#pragma once

#include <cstdint>

namespace lutra {

// Of a (n, n), in place: the lower triangle becomes l with a = l l^T, the upper zeros. Only a's lower triangle is read.
// False if a is not positive definite; then a's contents mean nothing.
bool cholesky(int64_t n, double* a);

// t x = b for the lower or upper triangle of t (n, n), or for its transpose; b (n, columns) in place, columns may be 0.
// A zero on the diagonal gives inf and nan.
void solve_triangular(int64_t n, const double* t, bool lower, bool transposed, int64_t columns, double* b);

// a (m, n) = q (m, k) r (k, n), k the smaller of m and n; q's columns are orthonormal, r is upper triangular.
// Householder reflections as LAPACK's geqrf makes them, so signs are NumPy's.
void qr(int64_t m, int64_t n, const double* a, double* q, double* r);

// The eigenvalues w of a symmetric a (n, n), ascending, and its orthonormal eigenvectors, the columns of v, unless v is
// null. Only a's lower triangle is read. All nan if an element of it is not finite.
void eigh(int64_t n, const double* a, double* w, double* v);

// The exponential of a (n, n), by Pade approximants with scaling and squaring (Higham, 2005). All nan if an element of
// a is not finite.
void expm(int64_t n, const double* a, double* exponential);

// a (m, n) = u (m, k) diag(s) vt (k, n), s descending. All nan if an element of a is not finite.
void svd(int64_t m, int64_t n, const double* a, double* u, double* s, double* vt);

}  // namespace lutra
