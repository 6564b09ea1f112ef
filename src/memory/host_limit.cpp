#include "memory/host_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>

namespace lutra {

namespace {

// "max", an absent file and a number too large are no limit.
std::size_t limit_in(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  std::size_t bytes = 0;
  if (!(in >> word)) return SIZE_MAX;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
  return error == std::errc() && end == word.data() + word.size() ? bytes : SIZE_MAX;
}

// The least limit on the way from the group up to the root. In a container the path may be the host's and absent here:
// the root is then the container's.
std::size_t least_limit(const std::string& root, std::string group, const char* file) {
  std::size_t least = SIZE_MAX;
  while (!group.empty() && group.back() == '/') group.pop_back();
  while (true) {
    least = std::min(least, limit_in(root + group + "/" + file));
    std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

}  // namespace

std::size_t control_group_limit(const std::string& groups_file, const std::string& mount) {
  std::size_t least = SIZE_MAX;
  std::ifstream in(groups_file);
  // Lines are "hierarchy:controllers:path"; version 2's hierarchy is 0 and names no controllers.
  for (std::string line; std::getline(in, line);) {
    std::size_t first = line.find(':');
    std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, least_limit(mount, group, "memory.max"));
      least = std::min(least, least_limit(mount + "/unified", group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, least_limit(mount + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::size_t usable_ram_bytes() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long page_bytes = sysconf(_SC_PAGESIZE);
  std::size_t ram =
      pages > 0 && page_bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) : SIZE_MAX;
  return std::min(ram, control_group_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace lutra
