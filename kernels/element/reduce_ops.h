// The accumulators and last steps of sums, means, products, extremes and logic, for reduce.cpp and kernels/cuda.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/element/reducers.h"

namespace lutra {

template <class T> using SumResult = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

template <class T, class R> struct TotalOf {
  using Reducer = R;
  using Out = SumResult<T>;
  static constexpr Out finish(typename R::Acc total, int64_t) {
    if constexpr (std::is_integral_v<T>) return static_cast<Out>(total);
    else return rounded<T>(total);
  }
};
template <class T> struct Sum : TotalOf<T, SumOf<T>> {};
template <class T> struct Prod : TotalOf<T, ProdOf<T>> {};
template <class T> struct Mean {
  using Reducer = SumOf<T>;
  using Out = T;
  static constexpr T finish(double sum, int64_t count) {
    return rounded<T>(count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN());
  }
};
template <class T> struct Max {
  using Reducer = MaxOf<T>;
  using Out = T;
  static constexpr T finish(Ordered<T> most, int64_t) { return from_order_key<T>(most); }
};
template <class T> struct Min {
  using Reducer = MinOf<T>;
  using Out = T;
  static constexpr T finish(Ordered<T> least, int64_t) { return from_order_key<T>(least); }
};
struct All {
  using Reducer = MinOf<uint8_t>;
  using Out = bool;
  static constexpr bool finish(uint8_t least, int64_t) { return least != 0; }
};
struct Any {
  using Reducer = MaxOf<uint8_t>;
  using Out = bool;
  static constexpr bool finish(uint8_t most, int64_t) { return most != 0; }
};

}  // namespace lutra
