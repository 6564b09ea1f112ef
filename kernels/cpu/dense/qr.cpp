#include <algorithm>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/reflections.h"

namespace lutra::dense {

// Blocks of columns are factorised by loops, and what is beside them is reflected by products (Golub and Van
// Loan, 5.2).
template <class Number> void qr(int64_t m, int64_t n, const Number* a, Number* q, Number* r) {
  const int64_t k = std::min(m, n);
  std::vector<Number> packed(a, a + m * n), work(static_cast<std::size_t>(m + n));
  Reflections<Number> reflections(m, k, 0);
  const int64_t together = reflections_together(k);
  for (int64_t first = 0; first < k; first += together) {
    const int64_t end = std::min(k, first + together);
    for (int64_t j = first; j < end; ++j) {
      Number* v = reflections.vector(j);
      Number* column = packed.data() + j * n + j;
      for (int64_t i = 0; i < m - j; ++i) v[i] = column[i * n];
      const Reflection<Number> made = make_reflection(m - j, v);
      reflections.set_tau(j, made.tau);
      *column = Number(made.first);
      reflect_from_left(m - j, end - j - 1, v, conjugate(made.tau), column + 1, n, work.data(), work.data() + n);
    }
    reflections.apply(first, end, true, n - end, packed.data() + end, n);
  }
  reflections.form(k, q);
  for (int64_t i = 0; i < k; ++i) {
    std::fill_n(r + i * n, i, Number(0));
    std::copy_n(packed.data() + i * (n + 1), n - i, r + i * (n + 1));
  }
}

template void qr(int64_t, int64_t, const double*, double*, double*);
template void qr(int64_t, int64_t, const Complex128*, Complex128*, Complex128*);

}  // namespace lutra::dense
