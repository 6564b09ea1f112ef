// The accumulators of running sums and products, for scan.cpp and kernels/cuda.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/element/reducers.h"

namespace lutra {

// A scan is a reducer (reducers.h) whose Run is as wide as its Acc, with Out, the output's type, and stands(before,
// total): whether merging `before` with a segment's total equals merging it with the segment's elements one by one. It
// does not if the total has overflowed, or lost its digits near 0, unless `before` has that value already.
template <class T> struct RunningSum : SumOf<T, WideOf<T>> {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  static constexpr bool stands(WideOf<T> before, WideOf<T> total) {
    if constexpr (std::is_integral_v<T>) return true;
    else return std::fabs(total) < std::numeric_limits<double>::infinity() || before == total || before != before;
  }
};
template <class T> struct RunningProduct : ProdOf<T> {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  static constexpr bool stands(WideOf<T> before, WideOf<T> total) {
    if constexpr (std::is_integral_v<T>) {
      return true;
    } else {
      double size = std::fabs(total);
      constexpr double kLeast = std::numeric_limits<double>::min(), kMost = std::numeric_limits<double>::max();
      bool is_same = std::fabs(before) == size && (size == 0 || size > kMost);
      return (size >= kLeast && size <= kMost) || is_same || before != before;
    }
  }
};

template <class S> constexpr typename S::Out result_of(typename S::Acc acc) {
  if constexpr (std::is_integral_v<typename S::Acc>) return static_cast<typename S::Out>(acc);
  else return rounded<typename S::Out>(acc);
}

}  // namespace lutra
