#include "core/late_helpers.h"

#include "support/catch.h"

using namespace lutra;

TEST_CASE("loops are shared until one takes longer than it would have alone", "[parallel]") {
  LateHelpers helpers;
  CHECK(helpers.may_share(1000, false));
  helpers.shared(1000, 1020, 10, 2);
  CHECK(helpers.may_share(1020, false));
  helpers.shared(2000, 2021, 10, 2);
  CHECK(!helpers.may_share(2021, false));
}

TEST_CASE("loops run alone for sixteen times what was lost, and helpers are tried again soon", "[parallel]") {
  LateHelpers helpers;
  helpers.shared(1000, 1100, 10, 4);
  CHECK(!helpers.may_share(1100 + 16 * 60 - 1, false));
  CHECK(helpers.may_share(1100 + 16 * 60, false));
  constexpr int64_t kSecond = 1'000'000'000;
  helpers.shared(0, 100 * kSecond, 10, 4);
  CHECK(!helpers.may_share(100 * kSecond + kSecond / 10, false));
  CHECK(helpers.may_share(100 * kSecond + kSecond / 5, false));
}

TEST_CASE("a long loop is shared whatever was before", "[parallel]") {
  LateHelpers helpers;
  helpers.shared(1000, 1100, 10, 4);
  CHECK(helpers.may_share(1101, true));
  CHECK(!helpers.may_share(1101, false));
}
