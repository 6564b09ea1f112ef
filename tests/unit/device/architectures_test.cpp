// Which cards the plugin's code is for.
#include "device/cuda/architectures.h"

#include "support/catch.h"

using namespace lutra;

TEST_CASE("which cards code is for", "[doctor]") {
  CHECK(cuda::runs_on("sm_90 compute_80", {9, 0}));
  CHECK(cuda::runs_on("sm_90 compute_80", {8, 0}));
  CHECK(cuda::runs_on("sm_90 compute_80", {12, 0}));
  CHECK_FALSE(cuda::runs_on("sm_90 compute_80", {7, 5}));
  CHECK(cuda::runs_on("sm_80", {8, 9}));
  CHECK_FALSE(cuda::runs_on("sm_89", {8, 0}));
  CHECK_FALSE(cuda::runs_on("sm_80", {9, 0}));
  CHECK(cuda::runs_on("sm_90a", {9, 0}));
  CHECK_FALSE(cuda::runs_on("compute_90a", {10, 0}));
  CHECK(cuda::runs_on("compute_100f", {10, 3}));
  CHECK_FALSE(cuda::runs_on("compute_100f", {12, 0}));
}

TEST_CASE("a driver that is older than the toolkit runs its machine code and compiles nothing", "[doctor]") {
  CHECK(cuda::compiles_for(13000, 13000));
  CHECK(cuda::compiles_for(13010, 13000));
  CHECK_FALSE(cuda::compiles_for(12040, 12080));
  CHECK(cuda::compiles_for(0, 13000));
  CHECK(cuda::compiles_for(12040, 0));
  CHECK(cuda::runs_on("sm_90 compute_80", {9, 0}, false));
  CHECK_FALSE(cuda::runs_on("sm_90 compute_80", {8, 6}, false));
  CHECK_FALSE(cuda::runs_on("sm_90 compute_80", {10, 0}, false));
}

TEST_CASE("the least that code asks of a card", "[cuda]") {
  CHECK(cuda::least_capability("sm_90 compute_80") == cuda::Capability{8, 0});
  CHECK(cuda::least_capability("sm_120 sm_89") == cuda::Capability{8, 9});
  CHECK(cuda::least_capability("compute_100f") == cuda::Capability{10, 0});
  CHECK(cuda::least_capability("") == cuda::Capability{});
}

TEST_CASE("the plugin of the tests is for cards as the usual one is", "[cuda]") {
  CHECK(cuda::runs_on("host", {9, 0}));
  CHECK_FALSE(cuda::runs_on("host", {7, 0}));
}
