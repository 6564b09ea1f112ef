// falling_exp has the bits of exp_of wherever it may be used: from 0 down to -inf, and for nan.

#include "kernels/element/elementary.h"

#include <limits>

#include "support/catch.h"

using namespace lutra;

namespace {

template <class T> bool is_same(T x) {
  T expected = exp_of(x), got = falling_exp(x);
  if (expected != expected) return got != got;
  return std::bit_cast<typename FloatForm<T>::Bits>(expected) == std::bit_cast<typename FloatForm<T>::Bits>(got);
}

template <class T> int64_t differences() {
  int64_t count = 0;
  for (uint64_t bits = 0x80000000u; bits <= 0xffffffffu; bits += 127) {
    count += !is_same(static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(bits))) * T(1.0000000123456789));
  }
  // Results next to the smallest normal one, and below it.
  for (int i = 0; i < 2000000; ++i) count += !is_same(static_cast<T>(-i) * T(0.0004));
  constexpr T kInf = std::numeric_limits<T>::infinity();
  for (T x : {T(0), T(-0.0), -kInf, std::numeric_limits<T>::quiet_NaN()}) count += !is_same(x);
  return count;
}

}  // namespace

TEST_CASE("e^x of what is at most 0 has the same bits with fewer steps", "[elementary]") {
  CHECK(differences<float>() == 0);
  CHECK(differences<double>() == 0);
}
