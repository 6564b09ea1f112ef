#include "device/sim/uncomputed.h"

#include <array>
#include <memory>
#include <string>

#include "support/catch.h"

using namespace lutra;

namespace {

std::array<std::byte, 1024> memory;

std::string who(const Uncomputed& uncomputed, std::size_t at, std::size_t bytes) {
  const char* found = uncomputed.find(memory.data() + at, bytes);
  return found != nullptr ? found : "";
}

}  // namespace

TEST_CASE("a range that could not be computed is found until all of it was written anew", "[uncomputed]") {
  auto owned = std::make_unique<Uncomputed>();
  Uncomputed& uncomputed = *owned;
  CHECK_FALSE(uncomputed.any());
  uncomputed.add(memory.data() + 100, 100, "sort");
  CHECK(uncomputed.any());
  CHECK(who(uncomputed, 0, 100) == "");
  CHECK(who(uncomputed, 0, 101) == "sort");
  CHECK(who(uncomputed, 199, 1) == "sort");
  CHECK(who(uncomputed, 200, 50) == "");

  SECTION("at once") {
    uncomputed.remove(memory.data() + 64, 256);
    CHECK_FALSE(uncomputed.any());
  }
  SECTION("from the middle") {
    uncomputed.remove(memory.data() + 120, 10);
    CHECK(who(uncomputed, 120, 10) == "");
    CHECK(who(uncomputed, 119, 1) == "sort");
    CHECK(who(uncomputed, 130, 1) == "sort");
    uncomputed.remove(memory.data() + 100, 20);
    uncomputed.remove(memory.data() + 130, 70);
    CHECK_FALSE(uncomputed.any());
  }
  SECTION("among others") {
    uncomputed.add(memory.data() + 300, 10, "unique");
    uncomputed.remove(memory.data() + 100, 100);
    CHECK(who(uncomputed, 100, 100) == "");
    CHECK(who(uncomputed, 305, 1) == "unique");
  }
}

TEST_CASE("more ranges than there is room for are joined, until they are written", "[uncomputed]") {
  auto owned = std::make_unique<Uncomputed>();
  for (std::size_t i = 0; i < 300; ++i) owned->add(memory.data() + 2 * i, 1, "sort");
  for (std::size_t i = 0; i < 300; ++i) CHECK(who(*owned, 2 * i, 1) == "sort");
  CHECK(who(*owned, 1000, 1) == "");
  CHECK(who(*owned, 10, 0) == "");
  owned->remove(memory.data(), 600);
  CHECK_FALSE(owned->any());
}
