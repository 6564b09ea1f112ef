// The elementary functions against the C library's in a wider type, in units in the last place.

#include "kernels/element/quick_exp.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/element/error_function.h"
#include "kernels/element/trigonometric.h"
#include "support/catch.h"

using namespace lutra;

namespace {

constexpr double kWrong = 1e9;  // nan, inf or a sign of zero that is not the reference's

template <class T, class Wide> double ulps_between(T got, Wide wanted) {
  T rounded = static_cast<T>(wanted);
  if (rounded != rounded) return got != got ? 0 : kWrong;
  if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : kWrong;
  if (got == 0 && rounded == 0) return std::signbit(got) == std::signbit(rounded) ? 0 : kWrong;
  T smallest = std::numeric_limits<T>::denorm_min();
  T ulp = rounded == 0 ? smallest
                       : std::max(smallest, std::ldexp(T(1), std::ilogb(rounded) + 1 - std::numeric_limits<T>::digits));
  double error = static_cast<double>(std::fabs(static_cast<Wide>(got) - wanted) / ulp);
  return error == error ? error : kWrong;
}

// Over all of float32 in steps, and float64 by the same bits widened: every exponent, both signs, zeros, inf and nan;
// and closely where functions change from one form to another.
template <class T, class Ours, class Exact> double worst_ulp(Ours ours, Exact exact) {
  double worst = 0;
  auto look = [&](T x) { worst = std::max(worst, ulps_between(ours(x), exact(x))); };
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 65521) {
    look(static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(bits))) * T(1.0000000123456789));
  }
  for (int i = -60000; i <= 60000; ++i) look(static_cast<T>(i) * T(0.0003));
  constexpr T kInf = std::numeric_limits<T>::infinity();
  for (T x : {T(0), T(-0.0), T(1), T(-1), kInf, -kInf, std::numeric_limits<T>::denorm_min(),
              -std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()}) {
    look(x);
  }
  return worst;
}

// Both types, each in its own wider one.
#define CHECK_FLOAT(ours, exact, bound) \
  CHECK(worst_ulp<float>([](float x) { return ours; }, [](double x) -> double { return exact; }) < (bound))
#define CHECK_DOUBLE(ours, exact, bound) \
  CHECK(worst_ulp<double>([](double x) { return ours; }, [](long double x) -> long double { return exact; }) < (bound))
#define CHECK_ULP(ours, exact, bound) \
  CHECK_FLOAT(ours, exact, bound);    \
  CHECK_DOUBLE(ours, exact, bound)

constexpr long double kRootHalf = 0.70710678118654752440084436210485L;

}  // namespace

TEST_CASE("exp, log and what is made of them are accurate", "[elementary]") {
  CHECK_ULP(exp_of(x), std::exp(x), 1.5);
  CHECK_ULP(expm1_of(x), std::expm1(x), 1.5);
  CHECK_ULP(log_of(x), std::log(x), 1.5);
  CHECK_ULP(log1p_of(x), std::log1p(x), 2);
}

TEST_CASE("hyperbolic and logistic functions are accurate", "[elementary]") {
  CHECK_FLOAT(tanh_of(x), std::tanh(x), 2.5);
  CHECK_DOUBLE(tanh_of(x), std::tanh(x), 1.5);
  CHECK_ULP(cosh_of(x), std::cosh(x), 2);
  CHECK_ULP(sinh_of(x), std::sinh(x), 2);
  CHECK_ULP(sigmoid_of(x), 1 / (1 + std::exp(-x)), 2.5);
  CHECK_ULP(softplus_of(x), x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)), 3);
  // Of -inf the limit, which the formula does not give.
  CHECK_ULP(times_sigmoid(x, x), std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-x)), 4);
}

TEST_CASE("circular functions are accurate up to the largest angle they take", "[elementary]") {
  // Past it the reference's own digits are the ones the kernels take.
  constexpr double kFloatBound = kFusedMuladd ? 2.5 : 3;
  CHECK_FLOAT(is_large_angle(x) ? std::sin(x) : sin_of(x), std::sin(x), kFloatBound);
  CHECK_FLOAT(is_large_angle(x) ? std::cos(x) : cos_of(x), std::cos(x), kFloatBound);
  CHECK_DOUBLE(is_large_angle(x) ? std::sin(x) : sin_of(x), std::sin(x), 1.5);
  CHECK_DOUBLE(is_large_angle(x) ? std::cos(x) : cos_of(x), std::cos(x), 1.5);
  CHECK_ULP(is_large_angle(x) ? std::tan(x) : tan_of(x), std::tan(x), 3);
}

TEST_CASE("multiples of pi / 2 leave the digits they should", "[elementary]") {
  // Next to a zero of sin or cos the argument's last bit is all there is; up to the largest angle taken.
  double worst_float = 0, worst_double = 0;
  for (int n = 1; n < 500000; n += 7) {
    float near = static_cast<float>(n * 1.57079632679489661923);
    worst_float = std::max({worst_float, ulps_between(sin_of(near), std::sin(double{near})),
                            ulps_between(cos_of(near), std::cos(double{near}))});
    double nearer = static_cast<double>(n * 1.57079632679489661923132169163975144L);
    worst_double = std::max({worst_double, ulps_between(sin_of(nearer), std::sin(static_cast<long double>(nearer))),
                             ulps_between(cos_of(nearer), std::cos(static_cast<long double>(nearer)))});
  }
  CHECK(worst_float < (kFusedMuladd ? 2.5 : 3));
  CHECK(worst_double < 1.5);
}

TEST_CASE("inverse circular functions are accurate", "[elementary]") {
  CHECK_FLOAT(asin_of(x), std::asin(x), 2.5);
  CHECK_FLOAT(acos_of(x), std::acos(x), 2.5);
  CHECK_DOUBLE(asin_of(x), std::asin(x), 1.5);
  CHECK_DOUBLE(acos_of(x), std::acos(x), 1.5);
  CHECK_FLOAT(atan_of(x), std::atan(x), 2.5);
  CHECK_DOUBLE(atan_of(x), std::atan(x), 1.5);
}

TEST_CASE("erf and gelu are accurate, gelu in its tail too", "[elementary]") {
  CHECK_ULP(erf_of(x), std::erf(x), 1.5);
  CHECK_ULP(gelu_of(x), std::isinf(x) && x < 0 ? -0.0L : x * std::erfc(-x * kRootHalf) / 2, kFusedMuladd ? 7 : 10);
}

TEST_CASE("quick_exp gives exp's bits where it says so, and it says so from -55 to 32", "[elementary]") {
  uint32_t fits_wrongly = 0, misses = 0;
  auto look = [&](float x) {
    uint32_t misfits = 0;
    float quick = quick_exp(x, misfits);
    bool fits = misfits < kQuickPowers;
    if (fits && std::bit_cast<uint32_t>(quick) != std::bit_cast<uint32_t>(exp_of(x))) ++fits_wrongly;
    if (!fits && x >= -55 && x <= 32) ++misses;
  };
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) look(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = -200000; i <= 200000; ++i) look(static_cast<float>(i) * 5e-4f);
  // Where the shifted quotient is a power of two, or 0: its bits are then among those that a fitting one may have.
  for (float power = 1; power < 0x1p30f; power *= 2) {
    for (float off : {-2.0f, -1.0f, 0.0f, 1.0f, 2.0f}) {
      look((power - 0x1.8p23f) * 0.69314718f + off);
      look((-power - 0x1.8p23f) * 0.69314718f + off);
    }
  }
  CHECK(fits_wrongly == 0);
  CHECK(misses == 0);
}

TEST_CASE("the ends of exp and log", "[elementary]") {
  CHECK(exp_of(88.72f) < std::numeric_limits<float>::infinity());
  CHECK(exp_of(88.73f) == std::numeric_limits<float>::infinity());
  CHECK(exp_of(-103.9f) == std::numeric_limits<float>::denorm_min());
  CHECK(exp_of(-104.0f) == 0.0f);
  CHECK(exp_of(0.0) == 1.0);
  CHECK(cos_of(0.0f) == 1.0f);
  CHECK(cosh_of(89.4f) < std::numeric_limits<float>::infinity());
  CHECK(cosh_of(89.5f) == std::numeric_limits<float>::infinity());
  CHECK(expm1_of(-100.0) == -1.0);
  CHECK(log_of(1.0) == 0.0);
  CHECK(log_of(0.0f) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(log_of(-1.0f)));
  CHECK(std::isnan(log1p_of(-1.5)));
  CHECK(std::isnan(asin_of(1.0000001f)));
  CHECK(std::isnan(acos_of(-1.0000001f)));
  CHECK(acos_of(1.0) == 0.0);
}
