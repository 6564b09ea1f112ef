// What GCC 12 finds in no C++: the few instructions that kernels call by name, each with a plain way that gives the
// same. Nothing else in kernels/cpu includes intrinsics.
#pragma once

#include <cstdint>

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

// In each lane, the product of the lower halves of a and b; what stands in their upper halves is no matter. Every
// spelling becomes whole 64-bit products, which take three times as long with AVX-512 and more without.
[[gnu::always_inline]] inline WideLanes lower_products(WideLanes a, WideLanes b) {
#if defined(__AVX512F__)
  // With a mask of all lanes: of _mm512_mul_epu32 GCC 12 warns that it is not initialised (GCC bug 105593).
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

}  // namespace lutra
