// What paired_prod.h asks of a processor with AVX-512 beside instructions.h: what rounding adds to a product, and
// whether floats left their range.
#pragma once

#include "kernels/cpu/instructions.h"

#if defined(__AVX512F__)
namespace lutra {

// What rounding added where `product` is a * b: exact while no result is out of range.
template <class Register>
[[gnu::always_inline]] inline Register product_excess(Register a, Register b, Register product) {
  return reinterpret_cast<Register>(
      _mm512_fnmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(product)));
}

// Whether since forget_left_range(), on this thread, a result overflowed, was inexact for being small, or was made nan.
// What is computed between the two stands in functions that are not inlined and write to memory.
inline constexpr unsigned kLeftRange = _MM_EXCEPT_INVALID | _MM_EXCEPT_OVERFLOW | _MM_EXCEPT_UNDERFLOW;
inline void forget_left_range() {
  const unsigned state = _mm_getcsr();
  if ((state & kLeftRange) != 0) _mm_setcsr(state & ~kLeftRange);
  asm volatile("" ::: "memory");
}
inline bool left_range() {
  asm volatile("" ::: "memory");
  return (_mm_getcsr() & kLeftRange) != 0;
}

}  // namespace lutra
#endif
