// sin, cos, tan and their inverses, in the manner of elementary.h. In units in the last place: sin, cos, asin, acos,
// atan within 1.5, tan within 3. sin, cos and tan take the multiple of pi/2 off by hand up to kMaxAngle; larger
// arguments are left to the C library (is_large_angle), one by one. Polynomials: Cephes (float32's sin and cos), fdlibm
// (the others).
#pragma once

#include "kernels/cpu/elementary.h"

namespace lutra {

// pi/2's first 33 bits times a multiple of up to 2^20 are exact.
template <class T> inline constexpr T kMaxAngle = T(800000);

template <class T> [[gnu::always_inline]] inline bool is_large_angle(T x) { return std::fabs(x) > kMaxAngle<T>; }

// |x| = quadrant * pi/2 + high + low, |high| <= pi/4; of the quadrant the lowest bits count.
template <class T> struct Angle {
  typename FloatForm<T>::Bits quadrant;
  T high, low;
};

[[gnu::always_inline]] inline Angle<float> reduced(float x) {
  double a = std::fabs(x);
  double shifted = a * 6.36619772367581382433e-01 + FloatForm<double>::kRounder;
  double n = shifted - FloatForm<double>::kRounder;
  double r = (a - n * 1.57079632673412561417e+00) - n * 6.07710050650619224932e-11;
  float high = static_cast<float>(r);
  return {static_cast<uint32_t>(std::bit_cast<uint64_t>(shifted)), high, static_cast<float>(r - high)};
}

[[gnu::always_inline]] inline Angle<double> reduced(double x) {
  double a = std::fabs(x);
  double shifted = a * 6.36619772367581382433e-01 + FloatForm<double>::kRounder;
  double n = shifted - FloatForm<double>::kRounder;
  // pi/2 in three parts; the products with the first two are exact, and what their difference loses is kept.
  double t = a - n * 1.57079632673412561417e+00;
  double w = n * 6.07710050630396597660e-11;
  double r = t - w;
  double back = r - t;
  double lost = (t - (r - back)) - (w + back);
  double rest = n * 2.02226624879595063154e-21 - lost;
  double high = r - rest;
  return {std::bit_cast<uint64_t>(shifted), high, (r - high) - rest};
}

[[gnu::always_inline]] inline SinCos<float> sincos_near_zero(float x, float low) {
  float z = x * x;
  float sin = -1.9515295891e-4f;
  sin = sin * z + 8.3321608736e-3f;
  sin = sin * z - 1.6666654611e-1f;
  float cos = 2.443315711809948e-5f;
  cos = cos * z - 1.388731625493765e-3f;
  cos = cos * z + 4.166664568298827e-2f;
  return {x + (sin * z * x + low), 1.0f - (0.5f * z - (cos * z * z - x * low))};
}

[[gnu::always_inline]] inline SinCos<double> sincos_near_zero(double x, double low) {
  double z = x * x, v = z * x;
  double sin = 1.58969099521155010221e-10;
  sin = sin * z - 2.50507602534068634195e-08;
  sin = sin * z + 2.75573137070700676789e-06;
  sin = sin * z - 1.98412698298579493134e-04;
  sin = sin * z + 8.33333333332248946124e-03;
  double cos = -1.13596475577881948265e-11;
  cos = cos * z + 2.08757232129817482790e-09;
  cos = cos * z - 2.75573143513906633035e-07;
  cos = cos * z + 2.48015872894767294178e-05;
  cos = cos * z - 1.38888888888741095749e-03;
  cos = cos * z + 4.16666666666666019037e-02;
  double half = 0.5 * z, near = 1.0 - half;
  return {x - ((z * (0.5 * low - v * sin) - low) - v * -1.66666666666666324348e-01),
          near + (((1.0 - near) - half) + (z * (z * cos) - x * low))};
}

// `odd` where the quadrant is odd, else `even`. By masks: SSE2 cannot compare 64-bit integers.
template <class T> [[gnu::always_inline]] inline T by_parity(typename FloatForm<T>::Bits quadrant, T even, T odd) {
  using Bits = typename FloatForm<T>::Bits;
  Bits mask = Bits{0} - (quadrant & 1);
  return std::bit_cast<T>((std::bit_cast<Bits>(odd) & mask) | (std::bit_cast<Bits>(even) & ~mask));
}

// sin of what stands `quarters` quarter turns ahead of |x|, its sign flipped where `flip` has one.
template <class T> [[gnu::always_inline]] inline T sin_ahead(T x, int quarters, typename FloatForm<T>::Bits flip) {
  using Bits = typename FloatForm<T>::Bits;
  Angle<T> angle = reduced(x);
  SinCos<T> at = sincos_near_zero(angle.high, angle.low);
  Bits quadrant = angle.quadrant + static_cast<Bits>(quarters);
  T value = by_parity(quadrant, at.sin, at.cos);
  return std::bit_cast<T>(std::bit_cast<Bits>(value) ^ ((quadrant & 2) << (sizeof(T) * 8 - 2)) ^ flip);
}

template <class T> [[gnu::always_inline]] inline T sin_of(T x) {
  using F = FloatForm<T>;
  return sin_ahead(x, 0, std::bit_cast<typename F::Bits>(x) & F::kSign);
}

template <class T> [[gnu::always_inline]] inline T cos_of(T x) { return sin_ahead(x, 1, 0); }

template <class T> [[gnu::always_inline]] inline T tan_of(T x) {
  using F = FloatForm<T>;
  using Bits = typename F::Bits;
  Angle<T> angle = reduced(x);
  SinCos<T> at = sincos_near_zero(angle.high, angle.low);
  T value = by_parity(angle.quadrant, at.sin, -at.cos) / by_parity(angle.quadrant, at.cos, at.sin);
  return std::bit_cast<T>(std::bit_cast<Bits>(value) ^ (std::bit_cast<Bits>(x) & F::kSign));
}

template <class T> struct Pi {
  static constexpr bool kIsFloat = FloatForm<T>::kIsFloat;
  static constexpr T kHalf = T(1.57079632679489661923);
  static constexpr T kHalfLow = kIsFloat ? T(-4.37113900018624283e-8) : T(6.12323399573676603587e-17);
  static constexpr T kQuarter = T(0.78539816339744830962);
};

// asin(x) = x + x asin_ratio(x^2), |x| <= 1/2.
[[gnu::always_inline]] inline float asin_ratio(float z) {
  float p = z * (1.6666586697e-01f + z * (-4.2743422091e-02f + z * -8.6563630030e-03f));
  return p / (1.0f + z * -7.0662963390e-01f);
}
[[gnu::always_inline]] inline double asin_ratio(double z) {
  double p = 3.47933107596021167570e-05;
  p = p * z + 7.91534994289814532176e-04;
  p = p * z - 4.00555345006794114027e-02;
  p = p * z + 2.01212532134862925881e-01;
  p = p * z - 3.25565818622400915405e-01;
  p = p * z + 1.66666666666666657415e-01;
  double q = 7.70381505559019352791e-02;
  q = q * z - 6.88283971605453293030e-01;
  q = q * z + 2.02094576023350569471e+00;
  q = q * z - 2.40339491173441421878e+00;
  return p * z / (q * z + 1.0);
}

// What asin and acos share. Far from 0 they go by the angle whose sine is root = sqrt((1 - |x|) / 2), in two parts.
template <class T> struct ArcSine {
  bool is_far;
  T a;            // |x|
  T root, error;  // far: root + error
  T ratio;        // asin_ratio of root or of |x|
};

template <class T> [[gnu::always_inline]] inline ArcSine<T> arc_sine(T x) {
  T a = std::fabs(x);
  bool is_far = a > T(0.5);
  T z = is_far ? (T(1) - a) * T(0.5) : a * a;
  T s = std::sqrt(z);
  T root = upper_half(s);
  T sum = s + root;
  return {is_far, a, root, (z - root * root) / (sum == 0 ? T(1) : sum), asin_ratio(z)};
}

template <class T> [[gnu::always_inline]] inline T asin_of(T x) {
  ArcSine<T> v = arc_sine(x);
  T p = T(2) * (v.root + v.error) * v.ratio - (Pi<T>::kHalfLow - T(2) * v.error);
  T q = Pi<T>::kQuarter - T(2) * v.root;
  return std::copysign(v.is_far ? Pi<T>::kQuarter - (p - q) : v.a + v.a * v.ratio, x);
}

template <class T> [[gnu::always_inline]] inline T acos_of(T x) {
  ArcSine<T> v = arc_sine(x);
  T angle = v.root + ((v.root + v.error) * v.ratio + v.error);
  T far = x < 0 ? T(2) * (Pi<T>::kHalf - (angle - Pi<T>::kHalfLow)) : T(2) * angle;
  return v.is_far ? far : Pi<T>::kHalf - (x - (Pi<T>::kHalfLow - x * v.ratio));
}

// atan(x) = x - x atan_ratio(x^2), |x| <= 7/16.
[[gnu::always_inline]] inline float atan_ratio(float z) {
  float w = z * z;
  float even = z * (3.3333328366e-01f + w * (1.4253635705e-01f + w * 6.1687607318e-02f));
  return even + w * (-1.9999158382e-01f + w * -1.0648017377e-01f);
}
[[gnu::always_inline]] inline double atan_ratio(double z) {
  double w = z * z;
  double even = 1.62858201153657823623e-02;
  even = even * w + 4.97687799461593236017e-02;
  even = even * w + 6.66107313738753120669e-02;
  even = even * w + 9.09088713343650656196e-02;
  even = even * w + 1.42857142725034663711e-01;
  even = even * w + 3.33333333333329318027e-01;
  double odd = -3.65315727442169155270e-02;
  odd = odd * w - 5.83357013379057348645e-02;
  odd = odd * w - 7.69187620504482999495e-02;
  odd = odd * w - 1.11111104054623557880e-01;
  odd = odd * w - 1.99999999998764832476e-01;
  return z * even + w * odd;
}

// atan(1/2), atan(1), atan(3/2), atan(inf), and what rounding took off.
template <class T> struct ArcTangents;
template <> struct ArcTangents<float> {
  static constexpr float kHigh[] = {4.6364760399e-01f, 7.8539812565e-01f, 9.8279368877e-01f, 1.5707962513e+00f};
  static constexpr float kLow[] = {5.0121582440e-09f, 3.7748947079e-08f, 3.4473217170e-08f, 7.5497894159e-08f};
};
template <> struct ArcTangents<double> {
  static constexpr double kHigh[] = {4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01,
                                     1.57079632679489655800e+00};
  static constexpr double kLow[] = {2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17,
                                    6.12323399573676603587e-17};
};

template <class T> [[gnu::always_inline]] inline T atan_of(T x) {
  using Known = ArcTangents<T>;
  T a = std::fabs(x);
  // The angle from the nearest known one: (a - c) / (1 + a c) for its tangent c.
  T above = a, below = T(1), high = T(0), low = T(0);
  auto nearest = [&](T from, T numerator, T denominator, int i) {
    bool is_past = a >= from;
    above = is_past ? numerator : above;
    below = is_past ? denominator : below;
    high = is_past ? Known::kHigh[i] : high;
    low = is_past ? Known::kLow[i] : low;
  };
  nearest(T(0.4375), a + a - T(1), T(2) + a, 0);
  nearest(T(0.6875), a - T(1), a + T(1), 1);
  nearest(T(1.1875), a - T(1.5), T(1) + T(1.5) * a, 2);
  nearest(T(2.4375), T(-1), a, 3);
  T t = above / below;
  return std::copysign(high - ((t * atan_ratio(t * t) - low) - t), x);
}

}  // namespace lutra
