// Converts one element, or an array, to another dtype by the rules of core/convert.h. The loops vectorise; files that
// are compiled for one kind of processor include this (kernels/cpu/loops/convert.cpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/dtype.h"
#include "core/rounded_to_odd.h"

namespace lutra {

// Bools are read and written as bytes: loops over bool do not vectorise, and a byte from a file may be neither 0 nor 1.
template <class T> using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// A float as an integer: truncated; nan becomes 0, and values out of range become the nearest bound.
template <class To, class From> [[gnu::always_inline]] constexpr inline To whole_of(From value) {
  // Below 64 bits, convert by way of int32, for which processors have an instruction. The upper bound is exact or one
  // above the top.
  using Whole = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
  constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From kHigh = static_cast<From>(std::numeric_limits<To>::max());
  // A nan fails this comparison too and becomes 0.
  From held = value < kHigh ? value : From(0);
  held = held > kLow ? held : kLow;
  To whole = static_cast<To>(static_cast<Whole>(held));
  return value >= kHigh ? std::numeric_limits<To>::max() : whole;
}

template <class To, class From> [[gnu::always_inline]] constexpr inline Stored<To> converted(Stored<From> value) {
  if constexpr (std::is_same_v<From, bool>) {
    return static_cast<Stored<To>>(static_cast<float>(value != 0 ? 1 : 0));
  } else if constexpr (std::is_same_v<To, bool>) {
    return static_cast<ComputeType<From>>(value) != 0;
  } else if constexpr (std::is_integral_v<From> || std::is_floating_point_v<To>) {
    if constexpr (std::is_integral_v<To> || std::is_floating_point_v<To>) return static_cast<To>(value);
    else if constexpr (sizeof(From) <= 2) return To(static_cast<float>(value));
    else if constexpr (sizeof(From) == 4) return To(rounded_to_odd(static_cast<double>(value)));
    else return To(rounded_to_odd(rounded_to_odd(value)));
  } else if constexpr (std::is_integral_v<To>) {
    return whole_of<To>(static_cast<ComputeType<From>>(value));
  } else if constexpr (std::is_same_v<From, double>) {
    return To(rounded_to_odd(value));
  } else {
    return To(static_cast<float>(value));
  }
}

// `Owner` is a type local to the including file. It gives each file its own instance of the loops, so that the linker
// does not merge loops compiled for different processors.
template <class Owner, class To, class From> void convert_all(std::byte* dst, const std::byte* src, int64_t count) {
  const Stored<From>* __restrict from = reinterpret_cast<const Stored<From>*>(src);
  Stored<To>* __restrict to = reinterpret_cast<Stored<To>*>(dst);
  for (int64_t i = 0; i < count; ++i) to[i] = converted<To, From>(from[i]);
}

// dst and src do not overlap.
template <class Owner> void convert_array(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count) {
  if (to == from) {
    if (count > 0) std::memcpy(dst, src, static_cast<std::size_t>(count) * size_of(to));
    return;
  }
  visit_dtype(to, [&](auto to_tag) {
    visit_dtype(from, [&](auto from_tag) {
      using To = typename decltype(to_tag)::type;
      using From = typename decltype(from_tag)::type;
      if constexpr (!std::is_same_v<To, From>) convert_all<Owner, To, From>(dst, src, count);
    });
  });
}

}  // namespace lutra
