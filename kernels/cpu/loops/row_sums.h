// Sums along a row, block by block, as Sum computes them.
#pragma once

#include "kernels/cpu/loops/reduce.h"
#include "kernels/cpu/loops/rows.h"
#include "kernels/element/elementary.h"

namespace lutra {

// e^(x - most), where no x is larger than `most`. Not inlined, as reduce_part is not.
template <class T, class C> [[gnu::noinline]] static void take_powers(const T* x, int64_t n, C most, C* __restrict to) {
  for (int64_t k = 0; k < n; ++k) to[k] = falling_exp(static_cast<C>(x[k]) - most);
}

// reduce_block over n <= kBlock values of term(first + i), which join the lanes as they are computed.
template <class C, class Term> [[gnu::noinline]] static double sum_block(int64_t first, int64_t n, const Term& term) {
  C lanes[kLanes] = {}, rest[kLanes];
  auto at = [ first, own = term ](int64_t i) __attribute__((always_inline)) { return static_cast<C>(own(first + i)); };
  int64_t done = 0;
  for (; done + kStep <= n; done += kStep) {
    for (int64_t l = 0; l < kLanes; ++l) {
      auto pair = [&](int64_t i) __attribute__((always_inline)) {
        return at(done + l + i * kLanes) + at(done + l + (i + 1) * kLanes);
      };
      lanes[l] += (pair(0) + pair(2)) + (pair(4) + pair(6));
    }
  }
  for (; done + kLanes <= n; done += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] += at(done + l);
  }
  for (int64_t i = done; i < n; ++i) rest[i - done] = at(i);
  return close_lanes<SumOf<C>>(lanes, rest, n - done);
}

// The sum of term(i) over [0, n).
template <class C, class Term> double sum_terms(int64_t n, const Term& term) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += kBlock) sum += sum_block<C>(i, std::min(kBlock, n - i), term);
  return sum;
}

// The sum of n elements.
template <class T> double sum_of(const T* a, int64_t n) {
  using C = ComputeType<T>;
  C room[kBlock];
  double sum = 0;
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = std::min(kBlock, n - i);
    sum += reduce_part<SumOf<C>>(loaded(a + i, count, room), count);
  }
  return sum;
}

// For softmax: the largest element, and the sum of e^(x - most).
template <class C> struct Powers {
  C most = MaxOf<C>::kStart;
  double sum = 0;

  Powers(const C* x, int64_t n) {
    for (int64_t i = 0; i < n; i += kBlock) {
      most = MaxOf<C>::merge(most, reduce_part<MaxOf<C>>(x + i, std::min(kBlock, n - i)));
    }
    C room[kBlock];
    for (int64_t i = 0; i < n; i += kBlock) {
      int64_t count = std::min(kBlock, n - i);
      take_powers(x + i, count, most, room);
      sum += reduce_part<SumOf<C>>(room, count);
    }
  }
};

}  // namespace lutra
