// Products are computed in four types; narrower ones are widened first and narrowed at the end. Halves are multiplied
// and added in float32. Integers wrap in 32 bits, whose last bits are those of the narrow result.
#pragma once

#include <type_traits>

#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

template <class T>
using Widened = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), int32_t, ComputeType<T>>;

// Whether T must be widened at all.
template <class T> inline constexpr bool kIsNarrow = !std::is_same_v<T, Widened<T>>;

template <class To, class From> void convert_each(const From* from, To* to, int64_t count) {
  parallel_for(count, kCheapGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

// The bytes of so many elements, rounded up so that what follows is aligned as an arena's memory is.
inline std::size_t widened_bytes(int64_t elements, std::size_t element_bytes) {
  return (static_cast<std::size_t>(elements) * element_bytes + 63) / 64 * 64;
}

}  // namespace lutra
