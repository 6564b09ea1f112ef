// Powers and angles against the C library's in a wider type, in units in the last place.

#include "kernels/element/power.h"

#include <algorithm>
#include <cmath>

#include "kernels/element/atan2.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// Numbers in [0, 1), the same in every run.
class Draw {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_ = 11;
};

// How far `got` is from `exact`, in units of T's last place there; inf counts as the power of two that is one too
// large.
template <class T, class Wide> double ulps(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  if (got == static_cast<T>(exact)) return 0;
  auto finite = [](Wide x) {
    Wide most = std::ldexp(Wide(1), Limits::max_exponent);
    return std::fabs(x) > most ? std::copysign(most, x) : x;
  };
  int exponent = std::max(std::ilogb(finite(exact)) + 1, Limits::min_exponent);
  exponent = std::min(exponent, Limits::max_exponent);
  return static_cast<double>(std::fabs(finite(got) - finite(exact)) / std::ldexp(Wide(1), exponent - Limits::digits));
}

// Bases everywhere, with exponents that bring results everywhere; bases near 1; small numbers.
template <class T, class Wide> double worst_power() {
  constexpr double kMost = std::numeric_limits<T>::max_exponent * 1.05;
  Draw draw;
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    T x, y;
    if (i % 3 == 0) {
      x = static_cast<T>(std::exp2((draw() * 2 - 1) * (kMost / 1.05 - 1)));
      y = static_cast<T>((draw() * 2 - 1) * kMost / std::log2(static_cast<double>(x)));
    } else if (i % 3 == 1) {
      x = static_cast<T>(1 + (draw() * 2 - 1) * std::exp2(-4 - 30 * draw()));
      y = static_cast<T>((draw() * 2 - 1) * std::exp2(30 * draw()));
    } else {
      x = static_cast<T>(10 * draw());
      y = static_cast<T>(20 * draw() - 10);
    }
    worst = std::max(worst, ulps(pow_of(x, y), std::pow(static_cast<Wide>(x), static_cast<Wide>(y))));
  }
  return worst;
}

template <class T, class Wide> double worst_angle() {
  Draw draw;
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    T x = static_cast<T>(draw() * 2 - 1);
    T y = static_cast<T>((draw() * 2 - 1) * (i % 2 == 0 ? 1 : std::exp2(draw() * 60 - 30)));
    worst = std::max(worst, ulps(atan2_of(y, x), std::atan2(static_cast<Wide>(y), static_cast<Wide>(x))));
  }
  return worst;
}

}  // namespace

TEST_CASE("powers keep their bounds", "[elementary]") {
  CHECK(worst_power<float, double>() < 0.502);
  CHECK(worst_power<double, long double>() < 1.0);
}

TEST_CASE("angles keep their bounds", "[elementary]") {
  CHECK(worst_angle<float, double>() < 2.5);
  CHECK(worst_angle<double, long double>() < 2.5);
}

TEST_CASE("the ends of pow", "[elementary]") {
  CHECK(pow_of(2.0f, 127.0f) == 0x1p127f);
  CHECK(pow_of(2.0f, 128.0f) == std::numeric_limits<float>::infinity());
  CHECK(pow_of(2.0f, -149.0f) == 0x1p-149f);
  CHECK(pow_of(2.0f, -151.0f) == 0.0f);
  CHECK(pow_of(0x1p-149f, -0.5f) > 2e22f);
  CHECK(pow_of(2.0, 1023.0) == 0x1p1023);
  CHECK(pow_of(2.0, -1074.0) == 0x1p-1074);
  CHECK(pow_of(0x1p-1074, -0.5) == 0x1p537);
  CHECK(pow_of(-1.0, 0x1p53) == 1.0);
  CHECK(pow_of(-1.0, 0x1p53 - 1) == -1.0);
  CHECK(pow_of(-1.0, 0x1p52 - 0.5) != pow_of(-1.0, 0x1p52 - 0.5));
  CHECK(pow_of(1.0 + 0x1p-52, 1e300) == std::numeric_limits<double>::infinity());
  CHECK(pow_of(1.0 - 0x1p-53, 1e300) == 0.0);
}
