// Factorisations of matrices by columns in blocks of columns: LAPACK factorises a block on one thread, and the columns
// beside it are updated on all threads of Lutra's own. Complex matrices are factorised in one call, on one thread
// (complex.cpp). Sizes as in LAPACK; no size is zero.
#pragma once

#include <cstdint>
#include <vector>

#include "core/complex.h"
#include "kernels/lapack/small_triangle.h"

namespace lutra::lapack {

// P a = L U as getrf leaves it in a (m, n), whose columns begin m apart. Row i was exchanged with row pivots[i] - 1.
// False if a pivot is exactly 0.
template <class T> bool factorise_lu(int64_t m, int64_t n, T* a, std::vector<int>& pivots);
template <class T> bool factorise_lu(int64_t m, int64_t n, Complex<T>* a, std::vector<int>& pivots);

// x op(t) = b for t (n, n); b (rows, n) becomes x. kind.is_transposed: op(t) is t^T, or t^H of complex numbers.
template <class T> void solve_from_right(Triangle kind, int64_t rows, int64_t n, const T* t, T* b);
template <class T> void solve_from_right(Triangle kind, int64_t rows, int64_t n, const Complex<T>* t, Complex<T>* b);

// x a = b, or x a^H = b, for the factors of a (n, n); b (rows, n) becomes x.
template <class T>
void solve_by_lu(int64_t rows, int64_t n, const T* factors, const std::vector<int>& pivots, bool adjoint, T* b);
template <class T>
void solve_by_lu(int64_t rows, int64_t n, const Complex<T>* factors, const std::vector<int>& pivots, bool adjoint,
                 Complex<T>* b);

// The upper triangle of a (m, n) becomes r, what is below it the reflections. q (m, k) is written by rows, k the
// smaller of m and n.
template <class T> void factorise_qr(int64_t m, int64_t n, T* a, T* q);
template <class T> void factorise_qr(int64_t m, int64_t n, Complex<T>* a, Complex<T>* q);

// c = a b for row-major matrices (n, n).
template <class T> void multiply(int64_t n, const T* a, const T* b, T* c);
template <class T> void multiply(int64_t n, const Complex<T>* a, const Complex<T>* b, Complex<T>* c);

}  // namespace lutra::lapack
