// Schur's form of any matrix: a = z t z^H with unitary z. Reduced to Hessenberg form first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/complex.h"
#include "kernels/cpu/dense/numbers.h"

namespace lutra::dense {

// a (n, n) = z h z^H in place, h zero below its first subdiagonal; z by rows, unless null.
template <class Number> void reduce_to_hessenberg(int64_t n, Number* a, Number* z);

// Where the block of h (n, n) that ends at `last` begins. A number below the diagonal that is a rounding of its
// neighbours becomes 0. `norm` is that of h.
template <class Number> int64_t begin_of_block(int64_t n, Number* h, int64_t last, double norm) {
  for (int64_t i = last; i > 0; --i) {
    Number* at = h + i * (n + 1);
    double both = size_of(at[-n - 1]) + size_of(*at);
    if (both == 0) both = norm;
    if (size_of(at[-1]) <= std::max(kEpsilon * both, kNegligible)) {
      at[-1] = Number(0);
      return i;
    }
  }
  return 0;
}

// h (n, n) becomes t. Rows of zt (n, n), the transpose of z, are changed along, unless it is null; then only what the
// eigenvalues depend on is computed. False if no answer is found.

// t has blocks of 2 x 2 on its diagonal where two eigenvalues are conjugate, with a number that is not 0 below the
// diagonal; below it, all else is 0. w: the eigenvalues. Of a pair, the one with the positive imaginary part is first.
bool find_schur(int64_t n, double* h, double* zt, Complex128* w);
// t is an upper triangle, w its diagonal.
bool find_schur(int64_t n, Complex128* h, Complex128* zt, Complex128* w);

}  // namespace lutra::dense
