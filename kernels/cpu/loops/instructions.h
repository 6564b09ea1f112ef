// The few instructions that GCC 12 generates for no C++ code, called by name, each with a portable fallback that gives
// the same. Nothing else in kernels/cpu includes intrinsics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/element/muladd.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace lutra {

// A register of 64-bit lanes.
#if defined(__AVX512F__)
using WideLanes = uint64_t __attribute__((vector_size(64)));
#elif defined(__AVX2__)
using WideLanes = uint64_t __attribute__((vector_size(32)));
#else
using WideLanes = uint64_t __attribute__((vector_size(16)));
#endif
inline constexpr int kLanesOf64 = sizeof(WideLanes) / sizeof(uint64_t);

// In each lane, the product of the lower halves of a and b; their upper halves are ignored. GCC compiles every C++
// spelling of this to whole 64-bit products, which take three times as long with AVX-512, and longer without.
[[gnu::always_inline]] inline WideLanes lower_products(WideLanes a, WideLanes b) {
#if defined(__AVX512F__)
  // With a mask of all lanes: without one, GCC 12 warns of an uninitialised value in _mm512_mul_epu32 (GCC bug 105593).
  return reinterpret_cast<WideLanes>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<WideLanes>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<WideLanes>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

// The widest registers of floats that the level has: RegisterOf<T> has kInRegister<T> lanes.
#if defined(__AVX512F__)
inline constexpr int kRegisterBytes = 64;
#elif defined(__AVX__)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif
template <class T> struct InRegister { typedef T type __attribute__((vector_size(kRegisterBytes))); };
template <class T> using RegisterOf = typename InRegister<T>::type;
template <class T> inline constexpr int kInRegister = kRegisterBytes / static_cast<int>(sizeof(T));

template <class T> [[gnu::always_inline]] inline RegisterOf<T> load_register(const T* from) {
  RegisterOf<T> loaded;
  std::memcpy(&loaded, from, sizeof loaded);
  return loaded;
}
template <class T> [[gnu::always_inline]] inline void store_register(RegisterOf<T> value, T* to) {
  std::memcpy(to, &value, sizeof value);
}

// x in each lane. By name, as the next one: GCC 12 splits up equivalent loops over lanes when it unrolls them, and
// spills.
[[gnu::always_inline]] inline RegisterOf<float> all_lanes(float x) {
#if defined(__AVX512F__)
  return reinterpret_cast<RegisterOf<float>>(_mm512_set1_ps(x));
#elif defined(__AVX__)
  return reinterpret_cast<RegisterOf<float>>(_mm256_set1_ps(x));
#else
  RegisterOf<float> all;
  for (int i = 0; i < kInRegister<float>; ++i) all[i] = x;
  return all;
#endif
}
[[gnu::always_inline]] inline RegisterOf<double> all_lanes(double x) {
#if defined(__AVX512F__)
  return reinterpret_cast<RegisterOf<double>>(_mm512_set1_pd(x));
#elif defined(__AVX__)
  return reinterpret_cast<RegisterOf<double>>(_mm256_set1_pd(x));
#else
  RegisterOf<double> all;
  for (int i = 0; i < kInRegister<double>; ++i) all[i] = x;
  return all;
#endif
}
// a * b + c in each lane, rounded as in muladd.h.
[[gnu::always_inline]] inline RegisterOf<float> muladd_lanes(RegisterOf<float> a, RegisterOf<float> b,
                                                             RegisterOf<float> c) {
#if defined(__AVX512F__)
  return reinterpret_cast<RegisterOf<float>>(
      _mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#elif defined(__AVX__) && defined(__FMA__)
  return reinterpret_cast<RegisterOf<float>>(
      _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#else
  RegisterOf<float> sum;
  for (int i = 0; i < kInRegister<float>; ++i) sum[i] = muladd(a[i], b[i], c[i]);
  return sum;
#endif
}
[[gnu::always_inline]] inline RegisterOf<double> muladd_lanes(RegisterOf<double> a, RegisterOf<double> b,
                                                              RegisterOf<double> c) {
#if defined(__AVX512F__)
  return reinterpret_cast<RegisterOf<double>>(
      _mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
#elif defined(__AVX__) && defined(__FMA__)
  return reinterpret_cast<RegisterOf<double>>(
      _mm256_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
#else
  RegisterOf<double> sum;
  for (int i = 0; i < kInRegister<double>; ++i) sum[i] = muladd(a[i], b[i], c[i]);
  return sum;
#endif
}

#if defined(__AVX512F__)
using RootLanes = float __attribute__((vector_size(64)));
inline constexpr int64_t kRootsAtOnce = 16;

// Square roots by the processor's instruction, which occupies its divider for 12 cycles.
[[gnu::always_inline]] inline RootLanes processor_roots(RootLanes x) {
  return reinterpret_cast<RootLanes>(_mm512_maskz_sqrt_ps(0xffff, reinterpret_cast<__m512>(x)));
}
// The same bits in half the time without the divider: an estimate of 14 bits, then corrections. For numbers from 2^-70
// on these give the nearest float; this was tested for every float, and with estimates of twice the error. If the
// register holds any other number (the root by the estimate is then smaller or nan), the processor's instruction is
// used.
[[gnu::always_inline]] inline RootLanes nearest_roots(RootLanes numbers) {
  const __m512 half = _mm512_set1_ps(0.5f), x = reinterpret_cast<__m512>(numbers);
  __m512 estimate = _mm512_maskz_rsqrt14_ps(0xffff, x);
  __m512 root = _mm512_mul_ps(x, estimate), half_inverse = _mm512_mul_ps(half, estimate);
  __mmask16 usual = _mm512_cmp_ps_mask(root, _mm512_set1_ps(0x1p-35f), _CMP_GE_OQ);
  __m512 off = _mm512_fnmadd_ps(root, half_inverse, half);
  root = _mm512_fmadd_ps(root, off, root);
  half_inverse = _mm512_fmadd_ps(half_inverse, off, half_inverse);
  root = _mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, x), half_inverse, root);
  if (usual != 0xffff) return processor_roots(numbers);
  return reinterpret_cast<RootLanes>(root);
}
#endif

inline constexpr int64_t kStreamedLine = 64;

// Copies lines of 64 bytes into memory without reading the destination into a cache first. `to` and `from` are aligned
// to 64 bytes and do not overlap. Other threads see the data after finish_streaming().
[[gnu::always_inline]] inline void stream_lines(std::byte* to, const std::byte* from, int64_t lines) {
#if defined(__SSE2__)
  for (int64_t i = 0; i < lines * kStreamedLine; i += sizeof(WideLanes)) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), *reinterpret_cast<const __m512i*>(from + i));
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), *reinterpret_cast<const __m256i*>(from + i));
#else
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), *reinterpret_cast<const __m128i*>(from + i));
#endif
  }
#else
  std::memcpy(to, from, static_cast<std::size_t>(lines * kStreamedLine));
#endif
}
inline void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace lutra
