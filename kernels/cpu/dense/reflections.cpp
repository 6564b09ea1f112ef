#include "kernels/cpu/dense/reflections.h"

#include <algorithm>

#include "kernels/cpu/dense/product.h"

namespace lutra::dense {

// The product is I - V T V^H, with an upper triangle T whose column j follows from those before it:
// T(:, j) = -tau_j T V^H v_j.
template <class Number>
void Reflections<Number>::apply(int64_t begin, int64_t end, bool is_adjoint, int64_t columns, Number* a,
                                int64_t step) const {
  const int64_t size = end - begin, from = before_ + begin, rows = length_ - from;
  const Number* v = vectors_.data() + begin * length_ + from;
  if (columns == 0 || rows <= 0) return;
  Number t[kMostReflectionsTogether * kMostReflectionsTogether], products[kMostReflectionsTogether];
  for (int64_t j = 0; j < size; ++j) {
    const Number tau = taus_[static_cast<std::size_t>(begin + j)];
    const Number* vector = v + j * length_;
    for (int64_t i = 0; i < j; ++i) {
      // v_i^H v_j, whose terms begin where v_j does.
      const Number* other = v + i * length_;
      if constexpr (kIsComplex<Number>) {
        Number sum(0);
        for (int64_t p = j; p < rows; ++p) sum += conjugate(other[p]) * vector[p];
        products[i] = sum;
      } else {
        products[i] = dot(rows - j, other + j, vector + j);
      }
    }
    for (int64_t i = 0; i < j; ++i) {
      Number sum(0);
      for (int64_t p = i; p < j; ++p) sum += t[i * size + p] * products[p];
      t[i * size + j] = -(tau * sum);
    }
    t[j * size + j] = tau;
  }
  std::vector<Number> room(static_cast<std::size_t>(2 * size * columns));
  Number *w = room.data(), *tw = w + size * columns;
  Number* rest = a + from * step;
  add_product<Number>(size, columns, rows, {v, length_, 1, true}, {rest, step}, w, columns);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = is_adjoint ? 0 : i; j < (is_adjoint ? i + 1 : size); ++j) {
      const Number factor = is_adjoint ? conjugate(t[j * size + i]) : t[i * size + j];
      subtract_row(columns, -factor, w + j * columns, tw + i * columns);
    }
  }
  subtract_product<Number>(rows, columns, size, {v, 1, length_}, {tw, columns}, rest, step);
}

// From the last block on, since later reflections change only the last rows and columns of what they make.
template <class Number> void Reflections<Number>::form(int64_t columns, Number* q) const {
  set_identity(length_, columns, q);
  const int64_t together = reflections_together(count_);
  for (int64_t begin = (count_ - 1) / together * together; begin >= 0; begin -= together) {
    const int64_t from = before_ + begin;
    if (from < columns) apply(begin, std::min(count_, begin + together), false, columns - from, q + from, columns);
  }
}

template class Reflections<double>;
template class Reflections<Complex128>;

}  // namespace lutra::dense
