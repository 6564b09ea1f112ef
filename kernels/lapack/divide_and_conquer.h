// Eigenvectors of a symmetric tridiagonal matrix by divide and conquer on Lutra's threads (stedc of LAPACK; Gu and
// Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995).
#pragma once

#include <cstdint>
#include <vector>

namespace lutra::lapack {

// T has `diagonal` and, between rows i and i + 1, beside[i]; its largest element is near one. The diagonal becomes the
// eigenvalues, in any order, and column i of q (n, n) the eigenvector of number i. `order` lists them from the smallest
// on. more_q and more_s have n * n elements too. False if no answer was found.
template <class T>
bool solve_tridiagonal(int64_t n, std::vector<T>& diagonal, std::vector<T>& beside, T* q, T* more_q, T* more_s,
                       std::vector<int>& order);

}  // namespace lutra::lapack
