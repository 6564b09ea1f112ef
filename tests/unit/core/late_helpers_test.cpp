#include "core/late_helpers.h"

#include "support/catch.h"

using namespace lutra;

namespace {

int64_t no_faults() { return 0; }

}  // namespace

TEST_CASE("loops are shared until one takes longer than it would have alone", "[parallel]") {
  LateHelpers helpers;
  CHECK(helpers.may_share(0, false));
  helpers.shared(0, 20, 10, 2, no_faults);
  CHECK(helpers.may_share(20, false));
  helpers.shared(20, 60, 10, 2, no_faults);
  CHECK(!helpers.may_share(60, false));
}

TEST_CASE("loops run alone for sixteen times what was lost, and helpers are tried again soon", "[parallel]") {
  LateHelpers helpers;
  helpers.shared(0, 100, 10, 4, no_faults);
  CHECK(!helpers.may_share(100 + 16 * 60 - 1, false));
  CHECK(helpers.may_share(100 + 16 * 60, false));
  constexpr int64_t kSecond = 1'000'000'000;
  helpers.shared(0, 100 * kSecond, 10, 4, no_faults);
  CHECK(!helpers.may_share(100 * kSecond + kSecond / 10, false));
  CHECK(helpers.may_share(100 * kSecond + kSecond / 5, false));
}

TEST_CASE("what is lost now and then is paid for by the time before", "[parallel]") {
  constexpr int64_t kMillisecond = 1'000'000, kStart = 1000 * kMillisecond;
  LateHelpers helpers;
  helpers.shared(kStart, kStart + 8 * kMillisecond, kMillisecond / 2, 2, no_faults);
  CHECK(helpers.may_share(kStart + 8 * kMillisecond, false));
  // 7 ms were lost, for which stand 112 of the 160 ms before; for the next 7 there are 48, and 64 to come.
  helpers.shared(kStart + 8 * kMillisecond, kStart + 16 * kMillisecond, kMillisecond / 2, 2, no_faults);
  CHECK(!helpers.may_share(kStart + 16 * kMillisecond, false));
  CHECK(!helpers.may_share(kStart + (16 + 63) * kMillisecond, false));
  CHECK(helpers.may_share(kStart + (16 + 64) * kMillisecond, false));
}

TEST_CASE("a loop during which pages were touched first has lost nothing", "[parallel]") {
  LateHelpers helpers;
  int64_t faults = 8;
  auto count = [&] { return faults; };
  helpers.shared(0, 400, 10, 2, count);
  CHECK(helpers.may_share(400, false));
  faults += 8;
  helpers.shared(400, 800, 10, 2, count);
  CHECK(helpers.may_share(800, false));
  helpers.shared(800, 1200, 10, 2, count);
  CHECK(!helpers.may_share(1200, false));
}

TEST_CASE("a long loop is shared whatever was before", "[parallel]") {
  LateHelpers helpers;
  helpers.shared(0, 100, 10, 4, no_faults);
  CHECK(helpers.may_share(101, true));
  CHECK(!helpers.may_share(101, false));
}
