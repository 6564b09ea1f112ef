// What functions of one element share: wrapping integers, types by size, the grain of their loops, and how an op is
// made from a kernel's options.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kernel.h"

namespace lutra {

// The type to compute in so that integers wrap: unsigned, and no narrower than int, to which C++ would widen it.
template <class T> struct WrappingOf { using type = T; };
template <class T>
requires std::is_integral_v<T>
struct WrappingOf<T> {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <class T> using Wrapping = typename WrappingOf<T>::type;

// Calls run(TypeTag<E>{}) with a type E of `bytes` bytes, unsigned up to 8, whose elements are only moved; false if
// there is none.
template <class Run> bool by_size(std::size_t bytes, const Run& run) {
  switch (bytes) {
    case 1: run(TypeTag<uint8_t>{}); return true;
    case 2: run(TypeTag<uint16_t>{}); return true;
    case 4: run(TypeTag<uint32_t>{}); return true;
    case 8: run(TypeTag<uint64_t>{}); return true;
#ifndef __CUDACC__  // there are no complex numbers on cards
    case 16: run(TypeTag<Complex128>{}); return true;
#endif
    default: return false;
  }
}

// The number of elements from which a second thread pays off. kCheapGrain counts elements of 4 bytes, for ops that cost
// no more than moving them.
inline constexpr int64_t kCheapGrain = 16384;
inline constexpr int64_t kCostlyGrain = 2048;

// The base of ops for which a second thread pays off early.
struct Costly {
  static constexpr int64_t kGrain = kCostlyGrain;
};

// An op: made from its options if it has any.
template <class Op> Op op_of(const KernelArgs& args) {
  if constexpr (std::is_constructible_v<Op, const KernelArgs&>) return Op(args);
  else return Op{};
}

// a + b; integers wrap.
struct Add {
  template <class T> static constexpr T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b)); }
};

}  // namespace lutra
