// The elementary functions against the C library's in a wider type, in units in the last place.

#include "kernels/cpu/elementary.h"

#include <algorithm>
#include <cmath>

#include "support/catch.h"

using namespace lutra;

namespace {

// Over all of float32 in steps, and float64 by the same bits widened: every exponent, both signs, inf and nan.
template <class T, class Ours, class Exact> double worst_ulp(Ours ours, Exact exact) {
  double worst = 0;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 65521) {
    T x = static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(bits))) * T(1.0000000123456789);
    T got = ours(x);
    auto wanted = exact(x);
    T rounded = static_cast<T>(wanted);
    if (rounded != rounded) {
      if (got == got) return 1e9;
    } else if (got != rounded) {
      if (std::isinf(got) || std::isinf(rounded)) return 1e9;
      T smallest = std::numeric_limits<T>::denorm_min();
      T ulp = rounded == 0
                  ? smallest
                  : std::max(smallest, std::ldexp(T(1), std::ilogb(rounded) + 1 - std::numeric_limits<T>::digits));
      worst = std::max(worst, static_cast<double>(std::fabs(static_cast<decltype(wanted)>(got) - wanted) / ulp));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("exp, log, tanh and the logistic function are accurate in float32", "[elementary]") {
  CHECK(worst_ulp<float>([](float x) { return exp_of(x); }, [](double x) { return std::exp(x); }) < 1.5);
  CHECK(worst_ulp<float>([](float x) { return log_of(x); }, [](double x) { return std::log(x); }) < 1.5);
  CHECK(worst_ulp<float>([](float x) { return tanh_of(x); }, [](double x) { return std::tanh(x); }) < 1.5);
  CHECK(worst_ulp<float>([](float x) { return sigmoid_of(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }) < 2.5);
}

TEST_CASE("exp, log, tanh and the logistic function are accurate in float64", "[elementary]") {
  using Wide = long double;
  CHECK(worst_ulp<double>([](double x) { return exp_of(x); }, [](Wide x) { return std::exp(x); }) < 1.5);
  CHECK(worst_ulp<double>([](double x) { return log_of(x); }, [](Wide x) { return std::log(x); }) < 1.5);
  CHECK(worst_ulp<double>([](double x) { return tanh_of(x); }, [](Wide x) { return std::tanh(x); }) < 1.5);
  CHECK(worst_ulp<double>([](double x) { return sigmoid_of(x); }, [](Wide x) { return 1 / (1 + std::exp(-x)); }) < 2.5);
}

TEST_CASE("the ends of exp and log", "[elementary]") {
  CHECK(exp_of(88.72f) < std::numeric_limits<float>::infinity());
  CHECK(exp_of(88.73f) == std::numeric_limits<float>::infinity());
  CHECK(exp_of(-103.9f) == std::numeric_limits<float>::denorm_min());
  CHECK(exp_of(-104.0f) == 0.0f);
  CHECK(exp_of(0.0) == 1.0);
  CHECK(log_of(1.0) == 0.0);
  CHECK(log_of(0.0f) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(log_of(-1.0f)));
  CHECK(std::signbit(tanh_of(-0.0f)));
}
