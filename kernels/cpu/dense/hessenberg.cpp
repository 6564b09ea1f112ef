#include <algorithm>

#include "kernels/cpu/dense/reflections.h"
#include "kernels/cpu/dense/schur.h"

namespace lutra::dense {

// Householder's reduction (Golub and Van Loan, 7.4).
template <class Number> void reduce_to_hessenberg(int64_t n, Number* a, Number* z) {
  if (n < 3) {
    if (z != nullptr) set_identity(n, n, z);
    return;
  }
  Reflections<Number> reflections(n, n - 2, 1);
  std::vector<Number> room(static_cast<std::size_t>(2 * n));
  Number *work = room.data(), *factors = work + n;
  for (int64_t k = 0; k + 2 < n; ++k) {
    const int64_t size = n - k - 1;
    Number* v = reflections.vector(k);
    Number* column = a + (k + 1) * n + k;
    for (int64_t i = 0; i < size; ++i) v[i] = column[i * n];
    const Reflection<Number> made = make_reflection(size, v);
    reflections.set_tau(k, made.tau);
    column[0] = Number(made.first);
    for (int64_t i = 1; i < size; ++i) column[i * n] = Number(0);
    reflect_from_left(size, size, v, conjugate(made.tau), column + 1, n, work, factors);
    reflect_from_right(n, size, v, made.tau, a + k + 1, n, work);
  }
  if (z != nullptr) reflections.form(n, z);
}

template void reduce_to_hessenberg(int64_t, double*, double*);
template void reduce_to_hessenberg(int64_t, Complex128*, Complex128*);

}  // namespace lutra::dense
