// a * b + c with one rounding at levels of the processor that can, with two elsewhere. Functions made of it are equally
// accurate at every level, but differ in their last bits (docs/decisions/cpu-levels-by-the-compiler.md). Cards can.
#pragma once

#include <type_traits>

namespace lutra {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDACC__)
inline constexpr bool kFusedMuladd = true;
#else
inline constexpr bool kFusedMuladd = false;
#endif

// kFused = false asks for the two roundings everywhere, and so for the same bits on every device.
template <bool kFused = kFusedMuladd, class T>
[[gnu::always_inline]] constexpr T muladd(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) {
  if constexpr (!kFused) return a * b + c;
  else if constexpr (std::is_same_v<T, float>) return __builtin_fmaf(a, b, c);
  else return __builtin_fma(a, b, c);
}

}  // namespace lutra
