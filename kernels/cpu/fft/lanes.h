// A register of the real parts and one of the imaginary parts of as many complex numbers, and how they are read,
// written and transposed.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "core/complex.h"
#include "kernels/cpu/loops/instructions.h"

namespace lutra::fft {

template <class T> struct LanesOf;
template <> struct LanesOf<float> { using type = float __attribute__((vector_size(sizeof(WideLanes)))); };
template <> struct LanesOf<double> { using type = double __attribute__((vector_size(sizeof(WideLanes)))); };
template <class T> using Lanes = typename LanesOf<T>::type;
template <class T> inline constexpr int kLanes = sizeof(WideLanes) / sizeof(T);

template <class T> struct Pair { Lanes<T> re, im; };

template <class T> [[gnu::always_inline]] inline Pair<T> operator+(const Pair<T>& a, const Pair<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T> [[gnu::always_inline]] inline Pair<T> operator-(const Pair<T>& a, const Pair<T>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T> [[gnu::always_inline]] inline Pair<T> operator*(const Pair<T>& a, const Pair<T>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T> [[gnu::always_inline]] inline Pair<T> operator*(const Pair<T>& a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T> [[gnu::always_inline]] inline Pair<T> operator*(const Pair<T>& a, T b) {
  return {a.re * b, a.im * b};
}
// a - i b and a + i b
template <class T> [[gnu::always_inline]] inline Pair<T> minus_i(const Pair<T>& a, const Pair<T>& b) {
  return {a.re + b.im, a.im - b.re};
}
template <class T> [[gnu::always_inline]] inline Pair<T> plus_i(const Pair<T>& a, const Pair<T>& b) {
  return {a.re - b.im, a.im + b.re};
}

namespace detail {
template <class V, std::size_t... I> [[gnu::always_inline]] inline V evens(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, int{2 * I}...);
}
template <class V, std::size_t... I> [[gnu::always_inline]] inline V odds(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, int{2 * I + 1}...);
}
// Alternating lanes of a and b, from lane `kFrom` on.
template <int kFrom, class V, std::size_t... I>
[[gnu::always_inline]] inline V mixed(V a, V b, std::index_sequence<I...>) {
  constexpr int kCount = sizeof...(I);
  return __builtin_shufflevector(a, b, (kFrom + static_cast<int>(I) / 2 + (I % 2 == 0 ? 0 : kCount))...);
}
template <class V, std::size_t... I> [[gnu::always_inline]] inline V backwards(V a, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, a, static_cast<int>(sizeof...(I) - 1 - I)...);
}
// Of two rows `kApart` from each other, the lanes that belong to the first, or to the second, when blocks of kApart x
// kApart are swapped across the diagonal.
template <int kApart, class V, std::size_t... I>
[[gnu::always_inline]] inline V first_of(V a, V b, std::index_sequence<I...>) {
  constexpr int kCount = sizeof...(I);
  return __builtin_shufflevector(a, b,
                                 ((I & kApart) == 0 ? static_cast<int>(I) : static_cast<int>(I) - kApart + kCount)...);
}
template <int kApart, class V, std::size_t... I>
[[gnu::always_inline]] inline V second_of(V a, V b, std::index_sequence<I...>) {
  constexpr int kCount = sizeof...(I);
  return __builtin_shufflevector(a, b,
                                 ((I & kApart) == 0 ? static_cast<int>(I) + kApart : static_cast<int>(I) + kCount)...);
}
template <int kApart, class V> [[gnu::always_inline]] inline void swap_blocks(V* rows) {
  constexpr int kCount = sizeof(V) / sizeof(rows[0][0]);
  constexpr auto kAll = std::make_index_sequence<kCount>();
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    if ((i & kApart) != 0) continue;
    const V a = rows[i], b = rows[i + kApart];
    rows[i] = first_of<kApart>(a, b, kAll);
    rows[i + kApart] = second_of<kApart>(a, b, kAll);
  }
}
}  // namespace detail

// Transposes a square of registers.
template <class V> [[gnu::always_inline]] inline void transpose(V* rows) {
  constexpr int kCount = sizeof(V) / sizeof(rows[0][0]);
  if constexpr (kCount > 1) detail::swap_blocks<1>(rows);
  if constexpr (kCount > 2) detail::swap_blocks<2>(rows);
  if constexpr (kCount > 4) detail::swap_blocks<4>(rows);
  if constexpr (kCount > 8) detail::swap_blocks<8>(rows);
}

// The first `count` lanes are read from memory, the others are 0; count may be negative.
template <class T> [[gnu::always_inline]] inline Pair<T> load(const Complex<T>* from, int64_t count) {
  constexpr int kCount = kLanes<T>;
  constexpr auto kAll = std::make_index_sequence<kCount>();
  if (count >= kCount) {
    Lanes<T> low, high;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, reinterpret_cast<const T*>(from) + kCount, sizeof high);
    return {detail::evens(low, high, kAll), detail::odds(low, high, kAll)};
  }
  T re[kCount] = {}, im[kCount] = {};
  for (int64_t i = 0; i < count; ++i) {
    re[i] = from[i].re;
    im[i] = from[i].im;
  }
  Pair<T> out;
  std::memcpy(&out.re, re, sizeof re);
  std::memcpy(&out.im, im, sizeof im);
  return out;
}
template <class T> [[gnu::always_inline]] inline Pair<T> load(const T* from, int64_t count) {
  Pair<T> out{};
  if (count >= kLanes<T>) std::memcpy(&out.re, from, sizeof out.re);
  else if (count > 0) std::memcpy(&out.re, from, static_cast<std::size_t>(count) * sizeof(T));
  return out;
}

// Writes the first `count` lanes.
template <class T> [[gnu::always_inline]] inline void store(Complex<T>* to, const Pair<T>& x, int64_t count) {
  constexpr int kCount = kLanes<T>;
  constexpr auto kAll = std::make_index_sequence<kCount>();
  const Lanes<T> low = detail::mixed<0>(x.re, x.im, kAll), high = detail::mixed<kCount / 2>(x.re, x.im, kAll);
  if (count >= kCount) {
    std::memcpy(static_cast<void*>(to), &low, sizeof low);
    std::memcpy(reinterpret_cast<T*>(to) + kCount, &high, sizeof high);
    return;
  }
  Complex<T> all[kCount];
  std::memcpy(static_cast<void*>(all), &low, sizeof low);
  std::memcpy(reinterpret_cast<std::byte*>(all) + sizeof low, &high, sizeof high);
  for (int64_t i = 0; i < count; ++i) to[i] = all[i];
}

// The lanes in reverse order.
template <class T> [[gnu::always_inline]] inline Pair<T> reversed(const Pair<T>& x) {
  constexpr auto kAll = std::make_index_sequence<kLanes<T>>();
  return {detail::backwards(x.re, kAll), detail::backwards(x.im, kAll)};
}

// With the parts exchanged: a transform of those is the inverse transform with its parts exchanged.
template <class T> [[gnu::always_inline]] inline Pair<T> turned(const Pair<T>& x, bool is_inverse) {
  return is_inverse ? Pair<T>{x.im, x.re} : x;
}

}  // namespace lutra::fft
