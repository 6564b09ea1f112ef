// Loops for functions of two elements that take many steps. For these the compiler vectorises only the loop over two
// rows, so a number that meets a row is repeated into a row first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

inline constexpr int64_t kRepeats = 256;

template <class Op, class T>
void long_function_row(const T* a, int64_t stride_a, const T* b, int64_t stride_b, T* __restrict out, int64_t n) {
  bool repeats_a = stride_a == 0 && stride_b == 1, repeats_b = stride_a == 1 && stride_b == 0;
  if (!repeats_a && !repeats_b) return binary_row<Op, T, T>(a, stride_a, b, stride_b, out, n);
  T repeated[kRepeats];
  std::fill(repeated, repeated + std::min(n, kRepeats), repeats_a ? *a : *b);
  for (int64_t at = 0; at < n; at += kRepeats) {
    binary_row<Op, T, T>(repeats_a ? repeated : a + at, 1, repeats_b ? repeated : b + at, 1, out + at,
                         std::min(kRepeats, n - at));
  }
}

template <class Op, class T> void run_long_binary(const KernelArgs& args) {
  if (args.out[0].size >= kStreamedSize<T> && run_streamed(args, run_long_binary<Op, T>)) return;
  const T* a = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  for_binary_rows(args, grain_of<Op, T>(),
                  [=](int64_t at_a, int64_t at_b, int64_t first, int64_t n, int64_t stride_a, int64_t stride_b) {
                    long_function_row<Op, T>(a + at_a, stride_a, b + at_b, stride_b, out + first, n);
                  });
}

template <class Op> void add_long_binary(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_long_binary<Op, typename decltype(tag)::type>}; });
}

}  // namespace lutra
