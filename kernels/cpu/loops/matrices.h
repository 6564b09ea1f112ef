// What ops on batches of matrices share: which library computes, conversions, faults, and the loop over a batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "core/complex.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/lapack/factorise.h"

namespace lutra::matrices {

inline int64_t rows_of(const Array& x) { return x.dims[x.rank - 2]; }
inline int64_t columns_of(const Array& x) { return x.dims[x.rank - 1]; }
inline int64_t matrices_in(const Array& x) { return x.size / (rows_of(x) * columns_of(x)); }

// The types in which LAPACK computes large matrices, and kernels/cpu/dense all others.
template <class T> using LapackNumber = std::conditional_t<kIsComplex<T> || std::is_same_v<T, float>, T, double>;
template <class T> using SmallNumber = std::conditional_t<kIsComplex<T>, Complex128, double>;

// From these sizes on LAPACK takes less time than kernels/cpu/dense, for svd even in double:
// docs/decisions/the-systems-lapack.md.
inline constexpr int64_t kLeastForLapack = 48, kLeastForLapackSvd = 16;

// Whether LAPACK computes matrices like x.
inline bool is_for_lapack(const Array& x, int64_t least = kLeastForLapack) {
  int64_t m = rows_of(x), n = columns_of(x);
  return std::min(m, n) >= least && lapack::is_here(m, n);
}

template <class T, class Number> void read(const T* from, int64_t count, Number* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Number>(from[i]);
}
template <class T, class Number> void read(const T* from, int64_t count, std::vector<Number>& to) {
  to.resize(static_cast<std::size_t>(count));
  read(from, count, to.data());
}
// The same to read from: in place if they have the type Number, else copied.
template <class T, class Number> const Number* numbers_of(const T* from, int64_t count, std::vector<Number>& copy) {
  if constexpr (std::is_same_v<T, Number>) return from;
  read(from, count, copy);
  return copy.data();
}
template <class T, class Number> void write(const std::vector<Number>& from, T* to) {
  using C = ComputeType<T>;
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<T>(static_cast<C>(from[i]));
}
// The memory in which a result is computed: in place if it has the type Number, else a buffer.
template <class T, class Number> class Result {
 public:
  explicit Result(int64_t count) : numbers_(std::is_same_v<T, Number> ? 0 : static_cast<std::size_t>(count)) {}
  Number* numbers(T* result) {
    if constexpr (std::is_same_v<T, Number>) return result;
    else return numbers_.data();
  }
  void finish(T* result) const { write(numbers_, result); }

 private:
  std::vector<Number> numbers_;
};

template <class T> void write_nan(T* to, int64_t count) {
  std::fill(to, to + count, static_cast<T>(__builtin_nanf("")));
}
template <class T> void write_nan(Complex<T>* to, int64_t count) {
  std::fill(to, to + count, Complex<T>(__builtin_nanf(""), __builtin_nanf("")));
}

// The first matrix of a batch that has a fault, whichever thread finds it.
class FirstBad {
 public:
  void tell(int64_t matrix) {
    int64_t before = matrix_.load();
    while (matrix < before && !matrix_.compare_exchange_weak(before, matrix)) {
    }
  }
  void raise(const KernelArgs& args, int64_t count) const {
    if (matrix_.load() != INT64_MAX) args.fault->raise(FaultCode::WrongValue, matrix_.load() + 1, count);
  }

 private:
  std::atomic<int64_t> matrix_{INT64_MAX};
};

// Calls each(begin, end) for ranges of `count` matrices, each of about `cost` operations. If memory is lacking, that is
// reported as a fault, and the results are meaningless.
template <class Each> void for_matrices(const KernelArgs& args, int64_t count, double cost, const Each& each) {
  int64_t grain = 1 + static_cast<int64_t>(static_cast<double>(kCheapGrain) / (cost + 16));
  std::atomic<bool> is_short{false};
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    try {
      each(begin, end);
    } catch (const std::bad_alloc&) {
      is_short = true;
    }
  });
  if (is_short) args.fault->raise(FaultCode::OutOfMemory);
}

inline double work(const Array& x) {
  return static_cast<double>(rows_of(x)) * static_cast<double>(columns_of(x)) *
         static_cast<double>(std::min(rows_of(x), columns_of(x)));
}

}  // namespace lutra::matrices
