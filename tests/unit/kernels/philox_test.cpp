#include "kernels/element/philox.h"

#include <cmath>

#include "kernels/element/random_math.h"
#include "support/catch.h"

using namespace lutra;

namespace {

bool equal(const PhiloxBlock& a, const PhiloxBlock& b) { return std::equal(a.word, a.word + 4, b.word); }

}  // namespace

TEST_CASE("Philox4x32-10 gives Random123's known answers", "[random]") {
  CHECK(equal(philox4x32({{0, 0, 0, 0}}, 0, 0), {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
  CHECK(equal(philox4x32({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u), {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
  CHECK(equal(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
              {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST_CASE("unit numbers are in [0, 1) and their steps are 2^-24 and 2^-53", "[random]") {
  CHECK(unit_float(0) == 0.0f);
  CHECK(unit_float(0xff) == 0.0f);
  CHECK(unit_float(0x100) == 0x1p-24f);
  CHECK(unit_float(~0u) == 1.0f - 0x1p-24f);
  CHECK(unit_double(0, 0) == 0.0);
  CHECK(unit_double(0, 0x40) == 0x1p-53);
  CHECK(unit_double(~0u, ~0u) == 1.0 - 0x1p-53);
}

TEST_CASE("our log is the library's to a few units in the last place", "[random]") {
  double worst32 = 0, worst64 = 0;
  for (uint32_t i = 0; i < 200000; ++i) {
    PhiloxBlock block = philox_block(3, i);
    float u = unit_float(block.word[0] >> (i % 20)) + 0x1p-24f;
    double exact = std::log(static_cast<double>(u));
    if (u < 1) worst32 = std::max(worst32, std::abs((log_of_unit(u) - exact) / exact));
    double v = unit_double(block.word[1] >> (i % 30), block.word[2]) + 0x1p-53;
    long double exact64 = std::log(static_cast<long double>(v));
    worst64 = std::max(worst64, std::abs(static_cast<double>((log_of_unit(v) - exact64) / exact64)));
  }
  CHECK(worst32 < 2e-7);
  CHECK(worst64 < 4e-16);
  CHECK(log_of_unit(1.0f) == 0.0f);
  CHECK(log_of_unit(1.0) == 0.0);
  CHECK(log_of_unit(1.0f - 0x1p-24f) < 0.0f);
  CHECK(log_of_unit(0x1p-24f) == Approx(-24 * std::log(2.0)));
  CHECK(log_of_unit(0x1p-53) == Approx(-53 * std::log(2.0)));
}

TEST_CASE("our sin and cos of a turn are the library's, in every quadrant", "[random]") {
  double worst32 = 0, worst64 = 0;
  for (uint32_t i = 0; i < 200000; ++i) {
    PhiloxBlock block = philox_block(4, i);
    long double turn = 6.283185307179586476925L * unit_float(block.word[0]);
    SinCos<float> at = sincos_turn(block.word[0]);
    worst32 = std::max({worst32, std::abs(static_cast<double>(at.sin - std::sin(turn))),
                        std::abs(static_cast<double>(at.cos - std::cos(turn)))});
    turn = 6.283185307179586476925L * unit_double(block.word[1], block.word[2]);
    SinCos<double> wide = sincos_turn(block.word[1], block.word[2]);
    worst64 = std::max({worst64, std::abs(static_cast<double>(wide.sin - std::sin(turn))),
                        std::abs(static_cast<double>(wide.cos - std::cos(turn)))});
  }
  CHECK(worst32 < 1.5e-7);
  CHECK(worst64 < 3e-16);
  // A word is a turn / 2^32: quarter turns are exact.
  CHECK(sincos_turn(0).sin == 0.0f);
  CHECK(sincos_turn(0x40000000).sin == 1.0f);
  CHECK(sincos_turn(0x80000000).cos == -1.0f);
  CHECK(sincos_turn(0xc0000000).sin == -1.0f);
  CHECK(sincos_turn(0xffffffff).cos == Approx(1));
}

TEST_CASE("the largest normal number is finite", "[random]") {
  CHECK(normal_pair(0u, 0u).first == Approx(5.7681).epsilon(1e-4));
  uint32_t zeros[4] = {0, 0, 0, 0};
  CHECK(normal_pair(zeros).first == Approx(8.5717).epsilon(1e-4));
  CHECK(normal_pair(~0u, 0u).first == 0.0f);
}
