// Which Pade approximant of the exponential is exact to a matrix's digits, and how often its value is squared then
// (Higham, The Scaling and Squaring Method for the Matrix Exponential Revisited, 2005).
#pragma once

#include <cmath>
#include <type_traits>

namespace lutra {

// exp(a) is p(a) / p(-a) for the polynomial with these coefficients, the lowest first, order + 1 of them.
struct Pade {
  const double* coefficients;
  int order;
  int squarings;  // the argument is divided by 2 this many times first
};

// For a matrix of floats or doubles whose largest sum of absolute values in a column is `norm`.
template <class T> Pade choose_pade(double norm) {
  static constexpr double k3[] = {120, 60, 12, 1}, k5[] = {30240, 15120, 3360, 420, 30, 1},
                          k7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1},
                          k9[] = {17643225600, 8821612800, 2075673600, 302702400, 30270240,
                                  2162160,     110880,     3960,       90,        1},
                          k13[] = {64764752532480000,
                                   32382376266240000,
                                   7771770303897600,
                                   1187353796428800,
                                   129060195264000,
                                   10559470521600,
                                   670442572800,
                                   33522128640,
                                   1323241920,
                                   40840800,
                                   960960,
                                   16380,
                                   182,
                                   1};
  constexpr bool is_float = std::is_same_v<T, float>;
  auto squarings = [norm](double most) {
    return norm > most ? static_cast<int>(std::ceil(std::log2(norm / most))) : 0;
  };
  if (norm <= (is_float ? 4.258730016922831e-1 : 1.495585217958292e-2)) return {k3, 3, 0};
  if (norm <= (is_float ? 1.880152677804762 : 2.539398330063230e-1)) return {k5, 5, 0};
  if (is_float) return {k7, 7, squarings(3.925724783138660)};
  if (norm <= 9.504178996162932e-1) return {k7, 7, 0};
  if (norm <= 2.097847961257068) return {k9, 9, 0};
  return {k13, 13, squarings(5.371920351148152)};
}

}  // namespace lutra
