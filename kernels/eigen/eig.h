// Eigenvalues of any matrix by Eigen. As in factorise.h: one matrix, row-major in and out.
#pragma once

#include <cstdint>

#include "core/complex.h"

namespace lutra {

// The eigenvalues w of a (n, n), in no order, and its eigenvectors of length 1, the columns of v, unless v is null. All
// nan if an element of a is not finite or no answer is found.
void eig(int64_t n, const double* a, Complex128* w, Complex128* v);
void eig(int64_t n, const Complex128* a, Complex128* w, Complex128* v);

}  // namespace lutra
