// The angle of a point, in the manner of elementary.h. Errors in units in the last place: float32 within 2.5, float64
// within 2.5. The special cases of 0, inf and nan are C's.
#pragma once

#include "kernels/element/trigonometric.h"

namespace lutra {

// atan(t) for |t| <= sqrt(2) - 1. Chebyshev's polynomials.
[[gnu::always_inline]] constexpr double atan_near_zero(double t) {
  double z = t * t, zz = z * z, z4 = zz * zz;
  double low = muladd(muladd(z, 0.11111111105150588, -0.14285714285659779), zz,
                      muladd(z, 0.19999999999999804, -0.3333333333333333));
  double middle = muladd(muladd(z, 0.05878927554473807, -0.0666642476020052), zz,
                         muladd(z, 0.07692296368042296, -0.09090908753259112));
  double high = muladd(muladd(z, 0.016284375050043393, -0.03456931506332609), zz,
                       muladd(z, 0.045515447340221615, -0.05230443640686948));
  return muladd(t, z * muladd(muladd(high, z4, middle), z4, low), t);
}

[[gnu::always_inline]] constexpr double atan2_of(double y, double x) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double ax = std::fabs(x), ay = std::fabs(y);
  double big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  // Their sum must not overflow.
  double scale = big > 0x1p1000 ? 0x1p-10 : 1.0;
  big *= scale;
  small *= scale;
  // The angle is turns * pi/4 + sign * atan(t).
  bool is_far = (small > 0.41421356237309503 * big) | (small == kInf);
  double t = (is_far ? small - big : small) / (is_far ? small + big : big);
  t = (big == 0) | (big == kInf) ? 0.0 : t;
  double turns = is_far ? 1.0 : 0.0, sign = 1.0;
  turns = ay > ax ? 2.0 - turns : turns;
  sign = ay > ax ? -sign : sign;
  bool is_left = std::copysign(1.0, x) < 0;
  turns = is_left ? 4.0 - turns : turns;
  sign = is_left ? -sign : sign;
  constexpr double kQuarterHigh = 0x1.921fb54442d00p-1, kQuarterLow = 0x1.8469898cc5170p-49;  // pi/4
  double angle = muladd(turns, kQuarterHigh, muladd(sign, atan_near_zero(t), turns * kQuarterLow));
  return (x != x) | (y != y) ? x + y : std::copysign(angle, y);
}

[[gnu::always_inline]] constexpr float atan2_of(float y, float x) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  float ax = std::fabs(x), ay = std::fabs(y);
  bool is_steep = ay > ax;
  float small = is_steep ? ax : ay, big = is_steep ? ay : ax;
  float t = small / (big == 0 ? 1.0f : big);
  t = small == kInf ? 1.0f : t;
  float angle = atan_to_one(t);
  angle = is_steep ? complement(angle) : angle;
  // The compiler makes std::signbit a branch.
  bool is_left = std::bit_cast<int32_t>(x) < 0;
  angle = is_left ? 2.0f * Pi<float>::kHalf - (angle - 2.0f * Pi<float>::kHalfLow) : angle;
  return (x != x) | (y != y) ? x + y : std::copysign(angle, y);
}

}  // namespace lutra
