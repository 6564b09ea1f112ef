#include "device/sim/yields.h"

#include "support/catch.h"

using namespace lutra;

TEST_CASE("yields are cheap until one gives the core to somebody else", "[sim]") {
  Yields yields;
  CHECK(yields.are_cheap(0));
  CHECK(yields.took(0, 300) == 300);
  CHECK(yields.took(300, 20'000) == 20'000);
  CHECK(yields.are_cheap(20'000));
  CHECK(yields.took(20'000, 3'020'000) == 3'020'000);
  CHECK(!yields.are_cheap(3'020'000));
}

TEST_CASE("what a yield has cost is paid for by sixteen times as long without one", "[sim]") {
  constexpr int64_t kMillisecond = 1'000'000;
  Yields yields;
  yields.took(0, 7 * kMillisecond);
  CHECK(!yields.are_cheap((7 + 16 * 7) * kMillisecond - 1));
  CHECK(yields.are_cheap((7 + 16 * 7) * kMillisecond));
  // A short one afterwards leaves it at that.
  yields.took(200 * kMillisecond, 200 * kMillisecond + 400);
  CHECK(yields.are_cheap(200 * kMillisecond + 400));
}
