// Loops for functions of one element, or of two at the same position. An op is a struct with `T apply(T...) const` for
// float and double; it is made from the KernelArgs when it has options. Halves are converted to float in blocks, so
// there is one such loop for each of the two types. If a few arguments need another method, the op has is_hard(x) and
// hard(x), which correct their results afterwards. If most arguments have a shorter way to the same bits, the op has
// plain(x), and extent(x), an unsigned number that is at most max_extent(T) for those. Blocks of such arguments take
// the fast path plain(x). So an element's result never depends on its neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/loops/elementwise.h"

namespace lutra {

// A block: its inputs and outputs fit into the L1 cache together.
inline constexpr int64_t kFunctionBlock = 1024;

// `op` by value: options behind a reference might alias `out`, and nothing would vectorise.
template <class Op, class T, class... In>
[[gnu::noinline]] void function_span(Op op, T* __restrict out, int64_t n, const In* __restrict... in) {
  for (int64_t i = 0; i < n; ++i) out[i] = op.apply(in[i]...);
}

template <class Op, class T>
[[gnu::noinline]] void correct_span(Op op, T* __restrict out, int64_t n, const T* __restrict in) {
  for (int64_t i = 0; i < n; ++i) {
    if (op.is_hard(in[i])) out[i] = op.hard(in[i]);
  }
}

// Whether all were plain. Otherwise `out` is meaningless.
template <class Op, class T>
[[gnu::noinline]] bool plain_span(Op op, T* __restrict out, int64_t n, const T* __restrict in) {
  decltype(op.extent(T())) extent = 0;
  for (int64_t i = 0; i < n; ++i) {
    extent = std::max(extent, op.extent(in[i]));
    out[i] = op.plain(in[i]);
  }
  return extent <= op.max_extent(T());
}

template <class Op, class T> void apply_span(Op op, T* out, int64_t n, const T* in) {
  if constexpr (requires { op.extent(in[0]); }) {
    if (plain_span<Op, T>(op, out, n, in)) return;
  }
  function_span<Op, T>(op, out, n, in);
  if constexpr (requires { op.is_hard(in[0]); }) {
    std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> hard = 0;
    for (int64_t i = 0; i < n; ++i) hard += op.is_hard(in[i]) ? 1 : 0;
    if (hard > 0) correct_span<Op, T>(op, out, n, in);
  }
}

template <class To, class From>
[[gnu::noinline]] void convert_span(const From* __restrict from, To* __restrict to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

template <class Op, class T> void function_block(const Op& op, const KernelArgs& args, int64_t at, int64_t n) {
  using C = ComputeType<T>;
  const T* x = args.in[0].as<T>() + at;
  T* out = args.out[0].as<T>() + at;
  constexpr bool kIsPair = requires(C c) { op.apply(c, c); };
  if constexpr (std::is_same_v<C, T>) {
    if constexpr (kIsPair) function_span<Op, C>(op, out, n, x, args.in[1].as<T>() + at);
    else apply_span<Op, C>(op, out, n, x);
  } else {
    C in[kIsPair ? 2 : 1][kFunctionBlock], result[kFunctionBlock];
    convert_span(x, in[0], n);
    if constexpr (kIsPair) {
      convert_span(args.in[1].as<T>() + at, in[1], n);
      function_span<Op, C>(op, result, n, in[0], in[1]);
    } else {
      apply_span<Op, C>(op, result, n, in[0]);
    }
    convert_span(result, out, n);
  }
}

template <class Op, class T> void run_function(const KernelArgs& args) {
  // Not for functions that cost more than their stores: they would wait for streamed stores.
  if constexpr (grain_of<Op, T>() > kCostlyGrain) {
    if (args.out[0].size >= kStreamedSize<T> && run_streamed(args, run_function<Op, T>)) return;
  }
  Op op = op_of<Op>(args);
  parallel_for(args.out[0].size, grain_of<Op, T>(), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kFunctionBlock) {
      function_block<Op, T>(op, args, at, std::min(kFunctionBlock, end - at));
    }
  });
}

// Registers Op for every float dtype.
template <class Op> void add_function(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_function<Op, typename decltype(tag)::type>}; });
}

// An op made of a function of elementary.h and the like.
template <class F> struct Function : Costly {
  template <class T> [[gnu::always_inline]] T apply(T x) const { return F{}(x); }
};
template <class F> void add_function_of(KernelRegistry& kernels, const char* name, F) {
  add_function<Function<F>>(kernels, name);
}

// Registers Op for every float and integer dtype.
template <class Op> void add_number_function(KernelRegistry& kernels, const char* name) {
  add_function<Op>(kernels, name);
  add_unary<Op>(kernels, name, AllInts{});
}

}  // namespace lutra
