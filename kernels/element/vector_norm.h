// The accumulators of vector norms, for vector_norm.cpp and kernels/cuda.
#pragma once

#include <cmath>

#include "kernels/element/reducers.h"

namespace lutra {

// Squares of x, or of x * 2^600 (kScale > 0) or x * 2^-600 (kScale < 0), in float64, which holds the squares of all
// other floats.
template <class T, int kScale> struct SquaresOf : SumOf<T, double> {
  using Next = SumOf<double>;
  static constexpr double open(T x) {
    double scaled = static_cast<double>(static_cast<ComputeType<T>>(x)) * (kScale > 0   ? 0x1p600
                                                                           : kScale < 0 ? 0x1p-600
                                                                                        : 1.0);
    return scaled * scaled;
  }
  template <class Lanes> static Lanes open_lanes(Lanes x) { return x * x; }  // only for float, which is not scaled
};
template <class T> struct MagnitudesOf : SumOf<T, double> {
  using Next = SumOf<double>;
  static constexpr double open(T x) { return std::fabs(static_cast<double>(static_cast<ComputeType<T>>(x))); }
  template <class Lanes> static Lanes open_lanes(Lanes x) { return x < 0 ? -x : x; }
};
template <class T> struct MaxMagnitudeOf : MaxOf<T> {
  using Next = MaxOf<Ordered<T>>;
  static constexpr Ordered<T> kStart = 0;
  static constexpr Ordered<T> open(T x) {
    if constexpr (kIsHalf<T>) return static_cast<int16_t>(x.bits & 0x7fff);  // nan is above inf
    else return std::fabs(x);
  }
};

// With a kScale other than 0, norms of float64 whose squares would overflow or lose digits are computed again.
template <class T, int kScale> struct Norm2 {
  using Reducer = SquaresOf<T, kScale>;
  using Out = T;
  static constexpr T finish(double sum, int64_t) {
    return rounded<T>(std::sqrt(sum) * (kScale > 0 ? 0x1p-600 : kScale < 0 ? 0x1p600 : 1.0));
  }
};
template <class T> struct Norm1 {
  using Reducer = MagnitudesOf<T>;
  using Out = T;
  static constexpr T finish(double sum, int64_t) { return rounded<T>(sum); }
};
template <class T> struct NormInf {
  using Reducer = MaxMagnitudeOf<T>;
  using Out = T;
  static constexpr T finish(Ordered<T> most, int64_t) { return from_order_key<T>(most); }
};

}  // namespace lutra
