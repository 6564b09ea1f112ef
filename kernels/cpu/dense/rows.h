// Loops along rows, which the compiler vectorises. A sum takes its terms in one order at every level of the processor.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cpu/dense/numbers.h"
#include "kernels/cpu/loops/instructions.h"

namespace lutra::dense {

// A sum's terms are added up in this many lanes, whatever the width of registers.
inline constexpr int kLanes = 8;
inline constexpr int kLaneRegisters = kLanes / kInRegister<double>;

// The sum of eight lanes.
inline double sum_of(const RegisterOf<double> (&lanes)[kLaneRegisters]) {
  double x[kLanes];
  for (int r = 0; r < kLaneRegisters; ++r) store_register(lanes[r], x + r * kInRegister<double>);
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// The sum of x[i] y[i], without conjugation.
inline double dot(int64_t count, const double* x, const double* y) {
  RegisterOf<double> lanes[kLaneRegisters] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
#pragma GCC unroll 4
    for (int r = 0; r < kLaneRegisters; ++r) {
      const int64_t at = i + r * kInRegister<double>;
      lanes[r] += load_register(x + at) * load_register(y + at);
    }
  }
  double sum = i == 0 ? 0 : sum_of(lanes);
  for (; i < count; ++i) sum += x[i] * y[i];
  return sum;
}
inline Complex128 dot(int64_t count, const Complex128* x, const Complex128* y) {
  double re[4] = {}, im[4] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int lane = 0; lane < 4; ++lane) {
      const Complex128 product = x[i + lane] * y[i + lane];
      re[lane] += product.re;
      im[lane] += product.im;
    }
  }
  Complex128 sum((re[0] + re[2]) + (re[1] + re[3]), (im[0] + im[2]) + (im[1] + im[3]));
  for (; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

// y -= factor x
template <class Number>
void subtract_row(int64_t count, Number factor, const Number* __restrict x, Number* __restrict y) {
  for (int64_t i = 0; i < count; ++i) y[i] -= factor * x[i];
}

// y += the sum of factors[i] times row i of a, rows from the first to the last. Four at a time, which saves three
// quarters of the loads and stores of y.
template <class Number>
void add_rows(int64_t rows, int64_t columns, const Number* a, int64_t step, const Number* factors,
              Number* __restrict y) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const Number* __restrict a0 = a + i * step, * __restrict a1 = a0 + step, * __restrict a2 = a1 + step, * __restrict a3 = a2 + step;
    const Number f0 = factors[i], f1 = factors[i + 1], f2 = factors[i + 2], f3 = factors[i + 3];
    for (int64_t j = 0; j < columns; ++j) y[j] = (((y[j] + f0 * a0[j]) + f1 * a1[j]) + f2 * a2[j]) + f3 * a3[j];
  }
  for (; i < rows; ++i) {
    const Number* __restrict row = a + i * step;
    for (int64_t j = 0; j < columns; ++j) y[j] += factors[i] * row[j];
  }
}

// Row i of a -= factors[i] x
template <class Number>
void subtract_outer(int64_t rows, int64_t columns, const Number* factors, const Number* x, Number* a, int64_t step) {
  for (int64_t i = 0; i < rows; ++i) subtract_row(columns, factors[i], x, a + i * step);
}

// The Euclidean norm. Squares that overflow, or are so small that they lose digits, are scaled first.
template <class Number> double norm_of(int64_t count, const Number* numbers) {
  const double* x = parts(numbers);
  count *= kParts<Number>;
  const double square = dot(count, x, x);
  if (square > 0x1p-900 && square < 0x1p1000) return std::sqrt(square);
  const double most = largest_part(count, x);
  if (most == 0 || std::isnan(most)) return most;
  const int exponent = std::ilogb(most);
  const double first = std::ldexp(1.0, -exponent / 2), second = std::ldexp(1.0, -exponent - -exponent / 2);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double scaled = x[i] * first * second;
    sum += scaled * scaled;
  }
  return std::ldexp(std::sqrt(sum), exponent);
}

}  // namespace lutra::dense
