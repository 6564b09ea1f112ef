// Normal numbers from random bits, bit for bit the same on every device. log, sin and cos are our own, each a fixed
// order of separate multiplications and additions (compile with -ffp-contract=off, nvcc with --fmad=false). Of the C
// library they use only sqrt, which IEEE 754 rounds exactly. Polynomials: Cephes (float32), fdlibm (float64).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/element/muladd.h"
#include "kernels/element/philox.h"

namespace lutra {

// (log(1 + f) - f + f^2 / 2) / f^3, 1 + f in [sqrt(1/2), sqrt(2)).
constexpr float log_polynomial(float f) {
  float p = 7.0376836292e-2f;
  p = p * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  return p * f + 3.3333331174e-1f;
}
// log((1 + s) / (1 - s)) / s - 2 for z = s^2, of the same numbers.
template <bool kFused> [[gnu::always_inline]] constexpr double log_polynomial(double z) {
  double w = z * z;
  double even = muladd<kFused>(1.531383769920937332e-01, w, 2.222219843214978396e-01);
  even = w * muladd<kFused>(even, w, 3.999999999940941908e-01);
  double odd = muladd<kFused>(1.479819860511658591e-01, w, 1.818357216161805012e-01);
  odd = muladd<kFused>(odd, w, 2.857142874366239149e-01);
  odd = z * muladd<kFused>(odd, w, 6.666666666666735130e-01);
  return even + odd;
}

// log(u), 0 < u <= 1 and normal.
constexpr float log_of_unit(float u) {
  // u = 2^exponent (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  int32_t bits = std::bit_cast<int32_t>(u);
  int32_t exponent = (bits - 0x3f3504f3) >> 23;
  float f = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0f;
  float e = static_cast<float>(exponent);
  float z = f * f;
  float tail = log_polynomial(f) * f * z + e * -2.12194440e-4f - 0.5f * z;
  return (f + tail) + e * 0.693359375f;
}

constexpr double log_of_unit(double u) {
  constexpr uint64_t kSplit = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  constexpr uint64_t kLift = uint64_t{64} << 52;   // keeps the exponent positive: u is 2^-53 or more
  uint64_t bits = std::bit_cast<uint64_t>(u);
  uint64_t lifted = bits - kSplit + kLift;
  // Putting an integer below 2^52 into the low bits of 2^52 adds it; SSE2 has no other conversion.
  double e = std::bit_cast<double>((lifted >> 52) | 0x4330000000000000) - (0x1p52 + 64.0);
  double f = std::bit_cast<double>(bits - (lifted & 0xfff0000000000000) + kLift) - 1.0;
  double s = f / (2.0 + f);
  double half = 0.5 * f * f;
  return e * 6.93147180369123816490e-01 -
         ((half - (s * (half + log_polynomial<false>(s * s)) + e * 1.90821492927058770002e-10)) - f);
}

template <class T> struct SinCos { T sin, cos; };

// Moves sin and cos of the remainder to the quadrant they came from.
template <class T> constexpr SinCos<T> in_quadrant(T sin, T cos, int32_t quadrant) {
  T a = (quadrant & 1) != 0 ? cos : sin;
  T b = (quadrant & 1) != 0 ? sin : cos;
  return {(quadrant & 2) != 0 ? -a : a, ((quadrant + 1) & 2) != 0 ? -b : b};
}

// sin and cos of a whole turn times unit_float(word). The quadrant is subtracted exactly, in integers.
constexpr SinCos<float> sincos_turn(uint32_t word) {
  int32_t turn = static_cast<int32_t>(word >> 8);
  int32_t quadrant = (turn + (1 << 21)) >> 22;
  float x = static_cast<float>(turn - quadrant * (1 << 22)) * (0x1p-24f * 6.28318530717958648f);
  float z = x * x;
  float sin = -1.9515295891e-4f;
  sin = sin * z + 8.3321608736e-3f;
  sin = sin * z - 1.6666654611e-1f;
  sin = sin * z * x + x;
  float cos = 2.443315711809948e-5f;
  cos = cos * z - 1.388731625493765e-3f;
  cos = cos * z + 4.166664568298827e-2f;
  cos = cos * z * z - 0.5f * z + 1.0f;
  return in_quadrant(sin, cos, quadrant);
}

// The same of unit_double(high, low).
constexpr SinCos<double> sincos_turn(uint32_t high, uint32_t low) {
  int32_t quadrant = (static_cast<int32_t>(high >> 5) + (1 << 24)) >> 25;
  double x = (unit_double(high, low) - static_cast<double>(quadrant) * 0.25) * 6.283185307179586477;
  double z = x * x;
  double sin = 1.58969099521155010221e-10;
  sin = sin * z - 2.50507602534068634195e-08;
  sin = sin * z + 2.75573137070700676789e-06;
  sin = sin * z - 1.98412698298579493134e-04;
  sin = sin * z + 8.33333333332248946124e-03;
  sin = sin * z - 1.66666666666666324348e-01;
  sin = x + x * (z * sin);
  double cos = -1.13596475577881948265e-11;
  cos = cos * z + 2.08757232129817482790e-09;
  cos = cos * z - 2.75573143513906633035e-07;
  cos = cos * z + 2.48015872894767294178e-05;
  cos = cos * z - 1.38888888888741095749e-03;
  cos = cos * z + 4.16666666666666019037e-02;
  cos = 1.0 - (0.5 * z - z * z * cos);
  return in_quadrant(sin, cos, quadrant);
}

// Two independent standard normal numbers (Box and Muller, 1958). The logarithm's argument is in (0, 1].
template <class T> struct NormalPair { T first, second; };

constexpr NormalPair<float> normal_pair(uint32_t word0, uint32_t word1) {
  float radius = std::sqrt(-2.0f * log_of_unit(unit_float(word0) + 0x1p-24f));
  SinCos<float> at = sincos_turn(word1);
  return {radius * at.cos, radius * at.sin};
}

constexpr NormalPair<double> normal_pair(const uint32_t (&word)[4]) {
  double radius = std::sqrt(-2.0 * log_of_unit(unit_double(word[0], word[1]) + 0x1p-53));
  SinCos<double> at = sincos_turn(word[2], word[3]);
  return {radius * at.cos, radius * at.sin};
}

}  // namespace lutra
