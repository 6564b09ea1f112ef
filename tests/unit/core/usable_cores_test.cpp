#include "core/usable_cores.h"

#include <sched.h>

#include "support/catch.h"
#include "support/control_groups.h"

using namespace lutra;

namespace {

int cores_of_mask() {
  cpu_set_t cores;
  REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
  return CPU_COUNT(&cores);
}

}  // namespace

TEST_CASE("without a quota the affinity mask counts", "[usable_cores]") {
  FakeControlGroups groups("0::/job\n");
  CHECK(usable_cores(groups.files()).threads == cores_of_mask());
  groups.write("job/cpu.max", "max 100000\n");
  CHECK(usable_cores(groups.files()).threads == cores_of_mask());
  groups.write("job/cpu.max", "100000000 100000\n");
  CHECK(usable_cores(groups.files()).threads == cores_of_mask());

  cpu_set_t before, first;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&first);
  for (int i = 0; CPU_COUNT(&first) == 0; ++i) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &first);
  }
  REQUIRE(sched_setaffinity(0, sizeof first, &first) == 0);
  UsableCores one = usable_cores(groups.files());
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(one.threads == 1);
  CHECK(one.why == "the process may run on 1 core");
}

TEST_CASE("a quota counts in whole cores, that of the group or of one around it", "[usable_cores]") {
  FakeControlGroups groups("0::/box/job\n");
  groups.write("box/job/cpu.max", "max 100000\n");
  groups.write("box/cpu.max", "150000 100000\n");
  UsableCores cores = usable_cores(groups.files());
  CHECK(cores.threads == 1);
  if (cores_of_mask() > 1) CHECK(cores.why.find("/box has a quota of 1.5 cores") != std::string::npos);
  groups.write("box/cpu.max", "20000 100000\n");
  CHECK(usable_cores(groups.files()).threads == 1);
}

TEST_CASE("version 1 groups have a quota, too", "[usable_cores]") {
  FakeControlGroups groups("4:cpu,cpuacct:/job\n2:memory:/other\n");
  groups.write("cpu/job/cpu.cfs_quota_us", "-1\n");
  groups.write("cpu/job/cpu.cfs_period_us", "100000\n");
  CHECK(usable_cores(groups.files()).threads == cores_of_mask());
  groups.write("cpu/job/cpu.cfs_quota_us", "50000\n");
  CHECK(usable_cores(groups.files()).threads == 1);
}
