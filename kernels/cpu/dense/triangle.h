// Solves with a triangle within a row-major matrix.
#pragma once

#include <cstdint>

#include "core/complex.h"

namespace lutra::dense {

template <class Number> struct Triangle {
  const Number* data;  // rows begin `step` apart; what is not in the triangle is not read
  int64_t step;
  bool is_lower;
  bool is_adjoint = false;  // solves with t^H
  bool has_ones = false;    // on its diagonal, whatever is there
};

// t x = b, or t^H x = b, for t (n, n); b (n, columns) becomes x, rows begin b_step apart. columns may be 0.
template <class Number> void solve(int64_t n, Triangle<Number> t, int64_t columns, Number* b, int64_t b_step);

}  // namespace lutra::dense
