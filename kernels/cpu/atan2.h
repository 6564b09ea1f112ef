// The angle of a point, without branches, tables or calls, so that loops over it vectorise; the same bits for every
// width, since multiplications and additions stay separate. float32 goes through double and is wrong by at most 0.501
// units in the last place, float64 by at most 2.5. What is special about 0, inf and nan is C's.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace lutra {

// atan(t) for |t| <= sqrt(2) - 1. Chebyshev's polynomials.
template <class Result> [[gnu::always_inline]] inline double atan_near_zero(double t) {
  double z = t * t, zz = z * z;
  if constexpr (std::is_same_v<Result, float>) {
    double p = (-0.3333333327922454 + 0.1999997724823353 * z) + (-0.14284150629730288 + 0.11071354571201351 * z) * zz +
               (-0.08624598215196126 + 0.05047937432040091 * z) * (zz * zz);
    return t + t * (z * p);
  } else {
    double z4 = zz * zz;
    double low =
        (-0.3333333333333333 + 0.19999999999999804 * z) + (-0.14285714285659779 + 0.11111111105150588 * z) * zz;
    double middle =
        (-0.09090908753259112 + 0.07692296368042296 * z) + (-0.0666642476020052 + 0.05878927554473807 * z) * zz;
    double high =
        (-0.05230443640686948 + 0.045515447340221615 * z) + (-0.03456931506332609 + 0.016284375050043393 * z) * zz;
    return t + t * (z * (low + (middle + high * z4) * z4));
  }
}

template <class T> [[gnu::always_inline]] inline T atan2_of(T y, T x) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double ax = std::fabs(static_cast<double>(x)), ay = std::fabs(static_cast<double>(y));
  double big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  if constexpr (!std::is_same_v<T, float>) {
    // Their sum must not overflow.
    double scale = big > 0x1p1000 ? 0x1p-10 : 1.0;
    big *= scale;
    small *= scale;
  }
  // The angle is turns * pi/4 + sign * atan(t).
  bool is_far = (small > 0.41421356237309503 * big) | (small == kInf);
  double t = (is_far ? small - big : small) / (is_far ? small + big : big);
  t = (big == 0) | (big == kInf) ? 0.0 : t;
  double turns = is_far ? 1.0 : 0.0, sign = 1.0;
  turns = ay > ax ? 2.0 - turns : turns;
  sign = ay > ax ? -sign : sign;
  bool is_left = std::copysign(1.0, static_cast<double>(x)) < 0;
  turns = is_left ? 4.0 - turns : turns;
  sign = is_left ? -sign : sign;
  constexpr double kQuarterHigh = 0x1.921fb54442d00p-1, kQuarterLow = 0x1.8469898cc5170p-49;  // pi/4
  double angle = turns * kQuarterHigh + (sign * atan_near_zero<T>(t) + turns * kQuarterLow);
  T result = std::copysign(static_cast<T>(angle), y);
  return (x != x) | (y != y) ? x + y : result;
}

}  // namespace lutra
