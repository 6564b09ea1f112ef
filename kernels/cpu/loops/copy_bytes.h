// memcpy for kernels. From a few KB on, the C library copies by one instruction, `rep movsb`. On AMD processors that
// takes twenty times as long if the result begins a few bytes further into its page than the source: a roll of 1e5
// elements by 7 took 140 us. Loops over registers cost the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/loops/instructions.h"

namespace lutra {

namespace detail {
inline constexpr int64_t kCopyRegister = sizeof(WideLanes), kCopyStep = 4 * kCopyRegister;
// The library copies shorter blocks through registers, and longer ones past the caches where that is better.
inline constexpr int64_t kShortCopy = 1024, kLongCopy = int64_t{1} << 20;
static_assert(kShortCopy >= 64 + kCopyStep);

[[gnu::always_inline]] inline WideLanes load_lanes(const std::byte* from) {
  WideLanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
[[gnu::always_inline]] inline void store_lanes(std::byte* to, WideLanes lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

// Stores are aligned to 64 bytes, except the first and the last ones, which overlap the others.
[[gnu::noinline]] inline void copy_by_registers(std::byte* __restrict to, const std::byte* __restrict from, int64_t n) {
  for (int64_t at = 0; at < 64; at += kCopyRegister) store_lanes(to + at, load_lanes(from + at));
  int64_t at = 64 - static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % 64), last = n - kCopyStep;
  auto step = [&](int64_t i) __attribute__((always_inline)) {
    WideLanes lanes[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) lanes[k] = load_lanes(from + i + k * kCopyRegister);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) store_lanes(to + i + k * kCopyRegister, lanes[k]);
  };
  for (; at < last; at += kCopyStep) step(at);
  step(last);
}
}  // namespace detail

// `to` and `from` must not overlap.
[[gnu::always_inline]] inline void copy_bytes(void* to, const void* from, int64_t n) {
  if (n < detail::kShortCopy || n >= detail::kLongCopy) {
    std::memcpy(to, from, static_cast<std::size_t>(n));
  } else {
    detail::copy_by_registers(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), n);
  }
}

}  // namespace lutra
