#include "core/usable_cores.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "core/text.h"

namespace lutra {
namespace {

constexpr double kNoQuota = std::numeric_limits<double>::infinity();

// The quota of one group, in cores.
double quota_of(const std::string& folder, int version) {
  // "max 100000" and -1 are no quota.
  double microseconds = 0, period = 0;
  if (version == 2) {
    std::ifstream in(folder + "/cpu.max");
    if (!(in >> microseconds >> period)) return kNoQuota;
  } else {
    std::ifstream quota(folder + "/cpu.cfs_quota_us"), length(folder + "/cpu.cfs_period_us");
    if (!(quota >> microseconds) || !(length >> period)) return kNoQuota;
  }
  return microseconds > 0 && period > 0 ? microseconds / period : kNoQuota;
}

int affinity_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

}  // namespace

UsableCores usable_cores(const ControlGroupFiles& files) {
  int cores = affinity_cores();
  double quota = kNoQuota;
  std::string group;
  for_control_groups("cpu", files, [&](const std::string& folder, int version) {
    if (double here = quota_of(folder, version); here < quota) {
      quota = here;
      group = folder;
    }
  });
  if (quota >= cores) return {cores, text("the process may run on ", cores, cores == 1 ? " core" : " cores")};
  return {std::max(1, static_cast<int>(quota)),
          text("the control group ", group, " has a quota of ", quota, quota == 1 ? " core" : " cores")};
}

std::optional<int> parse_threads(std::string_view text) {
  int threads = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), threads);
  bool ok = problem == std::errc() && end == text.data() + text.size() && threads >= 0 && threads <= kMostThreads;
  return ok ? std::optional(threads) : std::nullopt;
}

UsableCores process_threads() {
  if (const char* said = std::getenv("LUTRA_NUM_THREADS")) {
    // Other texts are refused when an interpreter starts: src/lua/border/environment.cpp.
    if (int threads = parse_threads(said).value_or(0); threads > 0) return {threads, "set by LUTRA_NUM_THREADS"};
  }
  return usable_cores();
}

int running_threads() {
  // "0.52 0.97 1.45 4/92 5731": four of 92 threads.
  char line[128];
  int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, line, sizeof line);
  close(file);
  std::string_view text(line, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return 0;
  std::size_t space = text.rfind(' ', slash);
  int running = 0;
  std::from_chars(text.data() + (space == std::string_view::npos ? 0 : space + 1), text.data() + slash, running);
  return running;
}

}  // namespace lutra
