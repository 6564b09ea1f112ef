#include "memory/host_limit.h"

#include <cstdint>

#include "memory/host_pool.h"
#include "support/catch.h"
#include "support/control_groups.h"

using namespace lutra;

namespace {

struct Groups : FakeControlGroups {
  using FakeControlGroups::FakeControlGroups;
  std::size_t limit() const { return control_group_limit(files()); }
};

}  // namespace

TEST_CASE("the least limit of version 2 groups counts", "[host_limit]") {
  Groups groups("0::/user/job\n");
  CHECK(groups.limit() == SIZE_MAX);
  groups.write("user/job/memory.max", "max\n");
  CHECK(groups.limit() == SIZE_MAX);
  groups.write("user/memory.max", "3000000\n");
  CHECK(groups.limit() == 3'000'000);
  groups.write("user/job/memory.max", "2000000\n");
  CHECK(groups.limit() == 2'000'000);
}

TEST_CASE("a container's own group is the root of what it sees", "[host_limit]") {
  Groups groups("0::/host/path/that/is/not/here\n");
  groups.write("memory.max", "1000000\n");
  CHECK(groups.limit() == 1'000'000);
}

TEST_CASE("version 1 groups are understood, also beside version 2", "[host_limit]") {
  Groups groups("9:cpu,cpuacct:/c\n4:hugetlb,memory:/job\n0::/\n");
  groups.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  groups.write("memory/job/memory.limit_in_bytes", "5000000\n");
  CHECK(groups.limit() == 5'000'000);
  groups.write("unified/memory.max", "4000000\n");
  CHECK(groups.limit() == 4'000'000);
}

TEST_CASE("files that say something else are no limit", "[host_limit]") {
  Groups groups("nonsense\n0:no second colon\n0::\n");
  groups.write("memory.max", "12 potatoes\n");
  CHECK(groups.limit() == 12);  // the kernel writes one word; what follows it is not read
  groups.write("memory.max", "potatoes\n");
  CHECK(groups.limit() == SIZE_MAX);
  groups.write("memory.max", "99999999999999999999999999\n");
  CHECK(groups.limit() == SIZE_MAX);
}

TEST_CASE("the CPU's limit is nine tenths of what the process may use", "[host_limit]") {
  std::size_t usable = usable_ram_bytes();
  CHECK(usable > (std::size_t{16} << 20));
  CHECK(usable < SIZE_MAX);
  CHECK(HostPool::default_limit() == usable / 10 * 9);
}
