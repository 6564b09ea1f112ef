#include "distribute/slices.h"

#include "support/catch.h"
#include "tensor/tensor.h"

using namespace lutra;

TEST_CASE("slices cover all elements, in order", "[distribute]") {
  for (std::size_t ranks : {1, 2, 3, 8}) {
    for (std::size_t count : {0, 1, 15, 16, 17, 1000, 100003}) {
      const std::vector<std::size_t> bounds = slice_bounds(count, ranks);
      REQUIRE(bounds.size() == ranks + 1);
      CHECK(bounds.front() == 0);
      CHECK(bounds.back() == count);
      CHECK(std::is_sorted(bounds.begin(), bounds.end()));
    }
  }
  CHECK(slice_bounds(100, 3) == std::vector<std::size_t>{0, 48, 96, 100});
}

TEST_CASE("entries are put in the order of their owners", "[distribute]") {
  const std::vector<Shape> shapes = {Shape{4}, Shape{2, 3}, Shape{5}, Shape{0}, Shape{7}};
  const std::vector<std::size_t> owners = {2, 0, 0, 1, 2};
  std::vector<std::size_t> entries = {4, 3, 2, 1, 0};
  const std::vector<std::size_t> bounds = sort_by_owner(entries, owners, 4, [&](std::size_t i) { return shapes[i]; });
  CHECK(entries == std::vector<std::size_t>{2, 1, 3, 4, 0});
  CHECK(bounds == std::vector<std::size_t>{0, 11, 11, 22, 22});
}
