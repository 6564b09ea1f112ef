// sin, cos, tan and their inverses, in the manner of elementary.h. Errors in units in the last place: tan within 3;
// sin, cos, asin, acos, atan in float64 within 1.5, in float32 within 2.5, sin and cos without fused multiply-adds
// within 3. sin, cos and tan subtract the multiple of pi/2 themselves up to kMaxAngle; larger arguments are left to the
// C library (is_large_angle), one by one. Polynomials: Cephes (float32's tan), fdlibm (float64), the others fitted at
// Chebyshev nodes.
#pragma once

#include "kernels/element/elementary.h"

namespace lutra {

// The product of pi/2's first 33 bits and an integer up to 2^20 is exact.
template <class T> inline constexpr T kMaxAngle = T(800000);

template <class T> [[gnu::always_inline]] constexpr bool is_large_angle(T x) { return std::fabs(x) > kMaxAngle<T>; }

// x| = quadrant * pi/2 + high + low; only the quadrant's lowest bits matter.
template <class T> struct Angle {
  typename FloatForm<T>::Bits quadrant;
  T high, low;
};

// a - n * pi/2.
[[gnu::always_inline]] constexpr Angle<float> without_quadrants(float a, float n, uint32_t quadrant = 0) {
  if constexpr (kFusedMuladd) {
    // The first product is a multiple of 2^-23, and so is a from 1 on. Hence their difference is one, too; being less
    // than 2, it is exact.
    float high = muladd(-n, -4.3711388286737928865e-8f, muladd(-n, 1.57079637050628662109f, a));
    return {quadrant, high, n * 1.7151244994428828e-15f};
  } else {
    double wide = n;
    double r = (a - wide * 1.57079632673412561417e+00) - wide * 6.07710050650619224932e-11;
    float high = static_cast<float>(r);
    return {quadrant, high, static_cast<float>(r - high)};
  }
}

// Reduced to the nearest quadrant, so |high| <= pi/4.
[[gnu::always_inline]] constexpr Angle<float> reduced(float x) {
  float a = std::fabs(x);
  float shifted = muladd(a, 0.636619772367581343f, FloatForm<float>::kRounder);
  return without_quadrants(a, shifted - FloatForm<float>::kRounder, std::bit_cast<uint32_t>(shifted));
}

[[gnu::always_inline]] constexpr Angle<double> reduced(double x) {
  double a = std::fabs(x);
  double shifted = a * 6.36619772367581382433e-01 + FloatForm<double>::kRounder;
  double n = shifted - FloatForm<double>::kRounder;
  // pi/2 in three parts; the products with the first two are exact, and the rounding error of their difference is kept.
  double t = a - n * 1.57079632673412561417e+00;
  double w = n * 6.07710050630396597660e-11;
  double r = t - w;
  double back = r - t;
  double lost = (t - (r - back)) - (w + back);
  double rest = n * 2.02226624879595063154e-21 - lost;
  double high = r - rest;
  return {std::bit_cast<uint64_t>(shifted), high, (r - high) - rest};
}

[[gnu::always_inline]] constexpr SinCos<float> sincos_near_zero(float x, float low) {
  float z = x * x;
  float sin = -1.9515295891e-4f;
  sin = muladd(sin, z, 8.3321608736e-3f);
  sin = muladd(sin, z, -1.6666654611e-1f);
  float cos = 2.443315711809948e-5f;
  cos = muladd(cos, z, -1.388731625493765e-3f);
  cos = muladd(cos, z, 4.166664568298827e-2f);
  return {x + muladd(sin * z, x, low), 1.0f - muladd(0.5f, z, -muladd(cos * z, z, -x * low))};
}

[[gnu::always_inline]] constexpr SinCos<double> sincos_near_zero(double x, double low) {
  double z = x * x, v = z * x;
  double sin = 1.58969099521155010221e-10;
  sin = muladd(sin, z, -2.50507602534068634195e-08);
  sin = muladd(sin, z, 2.75573137070700676789e-06);
  sin = muladd(sin, z, -1.98412698298579493134e-04);
  sin = muladd(sin, z, 8.33333333332248946124e-03);
  double cos = -1.13596475577881948265e-11;
  cos = muladd(cos, z, 2.08757232129817482790e-09);
  cos = muladd(cos, z, -2.75573143513906633035e-07);
  cos = muladd(cos, z, 2.48015872894767294178e-05);
  cos = muladd(cos, z, -1.38888888888741095749e-03);
  cos = muladd(cos, z, 4.16666666666666019037e-02);
  double half = 0.5 * z, near = 1.0 - half;
  return {x - muladd(v, 1.66666666666666324348e-01, muladd(z, muladd(-v, sin, 0.5 * low), -low)),
          near + (((1.0 - near) - half) + muladd(z, z * cos, -x * low))};
}

// `odd` where the quadrant is odd, else `even`. By masks: SSE2 cannot compare 64-bit integers.
template <class T> [[gnu::always_inline]] constexpr T by_parity(typename FloatForm<T>::Bits quadrant, T even, T odd) {
  using Bits = typename FloatForm<T>::Bits;
  Bits mask = Bits{0} - (quadrant & 1);
  return std::bit_cast<T>((std::bit_cast<Bits>(odd) & mask) | (std::bit_cast<Bits>(even) & ~mask));
}

// sin(|x| + quarters * pi/2), its sign flipped where `flip` has a sign bit.
[[gnu::always_inline]] constexpr double sin_ahead(double x, uint64_t quarters, uint64_t flip) {
  Angle<double> angle = reduced(x);
  SinCos<double> at = sincos_near_zero(angle.high, angle.low);
  uint64_t quadrant = angle.quadrant + quarters;
  double value = by_parity(quadrant, at.sin, at.cos);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) ^ ((quadrant & 2) << 62) ^ flip);
}
[[gnu::always_inline]] constexpr double sin_of(double x) {
  return sin_ahead(x, 0, std::bit_cast<uint64_t>(x) & FloatForm<double>::kSign);
}
[[gnu::always_inline]] constexpr double cos_of(double x) { return sin_ahead(x, 1, 0); }

// In float32 one polynomial serves half a turn. sin(high + low), |high| <= 1.62, its sign flipped where `flip` has a
// sign bit.
[[gnu::always_inline]] constexpr float sin_of_half_turn(Angle<float> angle, uint32_t flip) {
  float x = angle.high, z = x * x;
  float p = -2.476697425e-8f;
  p = muladd(p, z, 2.758717528e-6f);
  p = muladd(p, z, -1.984240516e-4f);
  p = muladd(p, z, 8.333346806e-3f);
  p = muladd(p, z, -1.666666716e-1f);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x + muladd(p * z, x, angle.low)) ^ flip);
}
[[gnu::always_inline]] constexpr float sin_of(float x) {
  using F = FloatForm<float>;
  float a = std::fabs(x);
  float shifted = muladd(a, 0.318309886183790672f, F::kRounder), turns = shifted - F::kRounder;
  uint32_t odd = std::bit_cast<uint32_t>(shifted) << 31;
  return sin_of_half_turn(without_quadrants(a, turns + turns), (std::bit_cast<uint32_t>(x) & F::kSign) ^ odd);
}
[[gnu::always_inline]] constexpr float cos_of(float x) {
  using F = FloatForm<float>;
  float a = std::fabs(x);
  float shifted = muladd(a, 0.318309886183790672f, -0.5f) + F::kRounder, turns = shifted - F::kRounder;
  uint32_t even = ~std::bit_cast<uint32_t>(shifted) << 31;
  return sin_of_half_turn(without_quadrants(a, muladd(turns, 2.0f, 1.0f)), even);
}

template <class T> [[gnu::always_inline]] constexpr T tan_of(T x) {
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
[[gnu::always_inline]] constexpr float asin_ratio(float z) {
  float p = 0.04216250032f;
  p = muladd(p, z, 0.02417879552f);
  p = muladd(p, z, 0.04547145218f);
  p = muladd(p, z, 0.0749527663f);
  p = muladd(p, z, 0.1666675359f);
  return p * z;
}
[[gnu::always_inline]] constexpr double asin_ratio(double z) {
  double p = 3.47933107596021167570e-05;
  p = muladd(p, z, 7.91534994289814532176e-04);
  p = muladd(p, z, -4.00555345006794114027e-02);
  p = muladd(p, z, 2.01212532134862925881e-01);
  p = muladd(p, z, -3.25565818622400915405e-01);
  p = muladd(p, z, 1.66666666666666657415e-01);
  double q = 7.70381505559019352791e-02;
  q = muladd(q, z, -6.88283971605453293030e-01);
  q = muladd(q, z, 2.02094576023350569471e+00);
  q = muladd(q, z, -2.40339491173441421878e+00);
  return p * z / muladd(q, z, 1.0);
}

// Shared by asin and acos: far from 0 they use the angle whose sine is sqrt((1 - |x|) / 2).
template <class T> struct ArcSine {
  bool is_far;
  T root;  // that sine, or |x|
  T z;     // its square
};
template <class T> [[gnu::always_inline]] constexpr ArcSine<T> arc_sine(T x) {
  T a = std::fabs(x);
  bool is_far = a > T(0.5);
  T z = is_far ? muladd(a, T(-0.5), T(0.5)) : a * a;
  T s = std::sqrt(z);
  return {is_far, is_far ? s : a, z};
}

[[gnu::always_inline]] constexpr float asin_of(float x) {
  ArcSine<float> v = arc_sine(x);
  float angle = muladd(v.root, asin_ratio(v.z), v.root);
  return std::copysign(v.is_far ? Pi<float>::kHalf - (angle + angle) : angle, x);
}
[[gnu::always_inline]] constexpr float acos_of(float x) {
  ArcSine<float> v = arc_sine(x);
  float angle = std::copysign(muladd(v.root, asin_ratio(v.z), v.root), x);
  // Half a turn where x is near -1, none where it is near 1.
  float far = Pi<float>::kHalf - std::copysign(Pi<float>::kHalf, x);
  return muladd(angle, v.is_far ? 2.0f : -1.0f, v.is_far ? far : Pi<float>::kHalf);
}

struct TwoParts {
  double high, low;
};
// In float64 the root is kept in two parts, the first with half of the digits.
[[gnu::always_inline]] constexpr TwoParts parted_root(const ArcSine<double>& v) {
  double high = upper_half(v.root), sum = v.root + high;
  return {high, (v.z - high * high) / (sum == 0 ? 1.0 : sum)};
}
[[gnu::always_inline]] constexpr double asin_of(double x) {
  ArcSine<double> v = arc_sine(x);
  TwoParts root = parted_root(v);
  double ratio = asin_ratio(v.z);
  double p = muladd(2.0 * (root.high + root.low), ratio, muladd(root.low, 2.0, -Pi<double>::kHalfLow));
  double q = muladd(root.high, -2.0, Pi<double>::kQuarter);
  return std::copysign(v.is_far ? Pi<double>::kQuarter - (p - q) : muladd(v.root, ratio, v.root), x);
}
[[gnu::always_inline]] constexpr double acos_of(double x) {
  using P = Pi<double>;
  ArcSine<double> v = arc_sine(x);
  TwoParts root = parted_root(v);
  double ratio = asin_ratio(v.z);
  double angle = root.high + muladd(root.high + root.low, ratio, root.low);
  double far = x < 0 ? 2.0 * (P::kHalf - (angle - P::kHalfLow)) : 2.0 * angle;
  return v.is_far ? far : P::kHalf - (x - muladd(-x, ratio, P::kHalfLow));
}

// atan(x) = x - x atan_ratio(x^2), |x| <= 7/16.
[[gnu::always_inline]] constexpr double atan_ratio(double z) {
  double w = z * z;
  double even = 1.62858201153657823623e-02;
  even = muladd(even, w, 4.97687799461593236017e-02);
  even = muladd(even, w, 6.66107313738753120669e-02);
  even = muladd(even, w, 9.09088713343650656196e-02);
  even = muladd(even, w, 1.42857142725034663711e-01);
  even = muladd(even, w, 3.33333333333329318027e-01);
  double odd = -3.65315727442169155270e-02;
  odd = muladd(odd, w, -5.83357013379057348645e-02);
  odd = muladd(odd, w, -7.69187620504482999495e-02);
  odd = muladd(odd, w, -1.11111104054623557880e-01);
  odd = muladd(odd, w, -1.99999999998764832476e-01);
  return muladd(z, even, w * odd);
}

[[gnu::always_inline]] constexpr double atan_of(double x) {
  double a = std::fabs(x);
  // The angle from the nearest known one: (a - c) / (1 + a c) for its tangent c.
  double above = a, below = 1.0, high = 0.0, low = 0.0;
  auto nearest = [&](double from, double numerator, double denominator, TwoParts angle) {
    bool is_past = a >= from;
    above = is_past ? numerator : above;
    below = is_past ? denominator : below;
    high = is_past ? angle.high : high;
    low = is_past ? angle.low : low;
  };
  // atan(1/2), atan(1), atan(3/2), atan(inf), and their rounding errors.
  nearest(0.4375, a + a - 1.0, 2.0 + a, {4.63647609000806093515e-01, 2.26987774529616870924e-17});
  nearest(0.6875, a - 1.0, a + 1.0, {7.85398163397448278999e-01, 3.06161699786838301793e-17});
  nearest(1.1875, a - 1.5, muladd(a, 1.5, 1.0), {9.82793723247329054082e-01, 1.39033110312309984516e-17});
  nearest(2.4375, -1.0, a, {1.57079632679489655800e+00, 6.12323399573676603587e-17});
  double t = above / below;
  return std::copysign(high - (muladd(t, atan_ratio(t * t), -low) - t), x);
}

// atan(t) for 0 <= t <= 1.
[[gnu::always_inline]] constexpr float atan_to_one(float t) {
  float z = t * t;
  float p = 0.002841484034f;
  p = muladd(p, z, -0.0160497576f);
  p = muladd(p, z, 0.04269272834f);
  p = muladd(p, z, -0.07508143038f);
  p = muladd(p, z, 0.1064532623f);
  p = muladd(p, z, -0.1420582086f);
  p = muladd(p, z, 0.1999313533f);
  p = muladd(p, z, -0.3333312571f);
  return muladd(p * z, t, t);
}
// pi/2 - angle.
[[gnu::always_inline]] constexpr float complement(float angle) {
  return Pi<float>::kHalf - (angle - Pi<float>::kHalfLow);
}

[[gnu::always_inline]] constexpr float atan_of(float x) {
  float a = std::fabs(x);
  bool is_steep = a > 1.0f;
  float angle = atan_to_one((is_steep ? 1.0f : a) / (is_steep ? a : 1.0f));
  return std::copysign(is_steep ? complement(angle) : angle, x);
}

// sign(x) log(|x| + sqrt(x^2 + 1)), by log1p so that small x keep their digits. Large roots are |x|.
template <class T> [[gnu::always_inline]] constexpr T asinh_of(T x) {
  const T size = std::fabs(x);
  const bool is_large = size > T(1e9);
  const T small = is_large ? T(1) : size, square = small * small;
  const T near = small + square / (std::sqrt(square + T(1)) + T(1));
  return std::copysign(log1p_of(is_large ? size - T(1) : near) + (is_large ? T(0.6931471805599453) : T(0)), x);
}

template <class T> [[gnu::always_inline]] constexpr T acosh_of(T x) {
  const bool is_large = x > T(1e9);
  const T above = is_large ? T(0) : x - T(1);
  const T near = above + std::sqrt(above) * std::sqrt(above + T(2));
  return log1p_of(is_large ? x - T(1) : near) + (is_large ? T(0.6931471805599453) : T(0));
}

// log((1 + x) / (1 - x)) / 2, by log1p of 2 |x| / (1 - |x|).
template <class T> [[gnu::always_inline]] constexpr T atanh_of(T x) {
  const T size = std::fabs(x);
  return std::copysign(log1p_of((size + size) / (T(1) - size)) * T(0.5), x);
}

// The gradient of tanh, from tanh's result y and the gradient of y.
struct TanhGrad {
  template <class T> static constexpr T apply(T y, T dy) { return dy * (T(1) - y * y); }
};

}  // namespace lutra
