// Converts one element, or an array, to another dtype by the rules of core/convert.h. The loops vectorise; files that
// are compiled for one kind of processor include this (kernels/cpu/loops/convert.cpp).
#pragma once

#include <algorithm>
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

// `from` or `to` is complex, and they differ.
template <class Owner> void convert_complex(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count);

// dst and src do not overlap.
template <class Owner> void convert_array(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count) {
  if (to == from) {
    if (count > 0) std::memcpy(dst, src, static_cast<std::size_t>(count) * size_of(to));
    return;
  }
  if (is_complex(to) || is_complex(from)) return convert_complex<Owner>(to, dst, from, src, count);
  visit_dtype(to, [&](auto to_tag) {
    visit_dtype(from, [&](auto from_tag) {
      using To = typename decltype(to_tag)::type;
      using From = typename decltype(from_tag)::type;
      if constexpr (!std::is_same_v<To, From>) convert_all<Owner, To, From>(dst, src, count);
    });
  });
}

// Real parts take the way of floats, block by block.
template <class Owner, class T> void join_parts(const T* __restrict real, Complex<T>* __restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = Complex<T>(real[i]);
}
template <class Owner, class T> void real_parts(const Complex<T>* __restrict from, T* __restrict real, int64_t count) {
  for (int64_t i = 0; i < count; ++i) real[i] = from[i].re;
}
template <class Owner, class T>
void complex_truths(const Complex<T>* __restrict from, uint8_t* __restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i].re != 0 || from[i].im != 0;
}

template <class Owner, class T> void convert_to_parts(std::byte* dst, DType from, const std::byte* src, int64_t count) {
  constexpr int64_t kBlock = 512;
  T real[kBlock];
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t n = std::min(kBlock, count - at);
    convert_array<Owner>(dtype_of<T>, reinterpret_cast<std::byte*>(real), from,
                         src + static_cast<std::size_t>(at) * size_of(from), n);
    join_parts<Owner, T>(real, reinterpret_cast<Complex<T>*>(dst) + at, n);
  }
}

template <class Owner, class T> void convert_from_parts(DType to, std::byte* dst, const std::byte* src, int64_t count) {
  const auto* from = reinterpret_cast<const Complex<T>*>(src);
  if (to == DType::Bool) return complex_truths<Owner, T>(from, reinterpret_cast<uint8_t*>(dst), count);
  constexpr int64_t kBlock = 512;
  T real[kBlock];
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t n = std::min(kBlock, count - at);
    real_parts<Owner, T>(from + at, real, n);
    convert_array<Owner>(to, dst + static_cast<std::size_t>(at) * size_of(to), dtype_of<T>,
                         reinterpret_cast<const std::byte*>(real), n);
  }
}

template <class Owner> void convert_complex(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count) {
  if (is_complex(to) && is_complex(from)) {
    convert_array<Owner>(real_dtype(to), dst, real_dtype(from), src, 2 * count);
  } else if (to == DType::Complex64) {
    convert_to_parts<Owner, float>(dst, from, src, count);
  } else if (to == DType::Complex128) {
    convert_to_parts<Owner, double>(dst, from, src, count);
  } else if (from == DType::Complex64) {
    convert_from_parts<Owner, float>(to, dst, src, count);
  } else {
    convert_from_parts<Owner, double>(to, dst, src, count);
  }
}

}  // namespace lutra
