// Columns of a matrix times vectors. Sums do not depend on where in memory their columns are, nor on the threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/cpu/loops/instructions.h"

namespace lutra::lapack {

// Columns that loops take at a time: their sums and factors stay in registers.
inline constexpr int64_t kTogether = kRegisterBytes == 64 ? 8 : 4;

// `size` rounded up to whole registers and kTogether.
template <class T> int64_t whole_registers(int64_t size) {
  constexpr int64_t kUnit = std::max<int64_t>(kInRegister<T>, kTogether);
  return (size + kUnit - 1) / kUnit * kUnit;
}

// Zeros that begin at a multiple of a register's size.
template <class T> class AlignedNumbers {
 public:
  explicit AlignedNumbers(int64_t size) : room_(static_cast<std::size_t>(size + kInRegister<T>)) {}
  T* data() { return const_cast<T*>(std::as_const(*this).data()); }
  const T* data() const {
    const std::size_t past = reinterpret_cast<uintptr_t>(room_.data()) % kRegisterBytes;
    return room_.data() + (past == 0 ? 0 : (kRegisterBytes - past) / sizeof(T));
  }

 private:
  std::vector<T> room_;
};

// In all of these, `rows` is a number of whole registers. `columns` are kTogether, which begin `step` apart.

template <class T, int kHalf, int... kLane>
RegisterOf<T> add_halves(RegisterOf<T> sums, std::integer_sequence<int, kLane...> lanes) {
  sums += __builtin_shufflevector(sums, sums, (kLane ^ kHalf)...);
  if constexpr (kHalf > 1) return add_halves<T, kHalf / 2>(sums, lanes);
  else return sums;
}
template <class T> T sum_of_lanes(RegisterOf<T> sums) {
  return add_halves<T, kInRegister<T> / 2>(sums, std::make_integer_sequence<int, kInRegister<T>>())[0];
}

// sums[j] = column j times x
template <class T> void dots(int64_t rows, const T* columns, int64_t step, const T* x, T* sums) {
  RegisterOf<T> sum[kTogether] = {};
  for (int64_t i = 0; i < rows; i += kInRegister<T>) {
    const RegisterOf<T> here = load_register(x + i);
#pragma GCC unroll 8
    for (int j = 0; j < kTogether; ++j) sum[j] = muladd_lanes(load_register(columns + j * step + i), here, sum[j]);
  }
  for (int j = 0; j < kTogether; ++j) sums[j] = sum_of_lanes<T>(sum[j]);
}

// y += column j times factors[j]
template <class T> void add_columns(int64_t rows, const T* columns, int64_t step, const T* factors, T* y) {
  RegisterOf<T> factor[kTogether];
  for (int j = 0; j < kTogether; ++j) factor[j] = all_lanes(factors[j]);
  for (int64_t i = 0; i < rows; i += kInRegister<T>) {
    RegisterOf<T> sum = load_register(y + i);
#pragma GCC unroll 8
    for (int j = 0; j < kTogether; ++j) sum = muladd_lanes(load_register(columns + j * step + i), factor[j], sum);
    store_register(sum, y + i);
  }
}

// Both, with one read of the columns.
template <class T>
void add_columns_and_dots(int64_t rows, const T* columns, int64_t step, const T* factors, T* y, const T* x, T* sums) {
  RegisterOf<T> sum[kTogether] = {}, factor[kTogether];
  for (int j = 0; j < kTogether; ++j) factor[j] = all_lanes(factors[j]);
  for (int64_t i = 0; i < rows; i += kInRegister<T>) {
    const RegisterOf<T> here = load_register(x + i);
    RegisterOf<T> there = load_register(y + i);
#pragma GCC unroll 8
    for (int j = 0; j < kTogether; ++j) {
      const RegisterOf<T> column = load_register(columns + j * step + i);
      there = muladd_lanes(column, factor[j], there);
      sum[j] = muladd_lanes(column, here, sum[j]);
    }
    store_register(there, y + i);
  }
  for (int j = 0; j < kTogether; ++j) sums[j] = sum_of_lanes<T>(sum[j]);
}

}  // namespace lutra::lapack
