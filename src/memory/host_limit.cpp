#include "memory/host_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>

namespace lutra {

namespace {

// "max", a missing file and a number that is too large mean no limit.
std::size_t limit_in(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  std::size_t bytes = 0;
  if (!(in >> word)) return SIZE_MAX;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
  return error == std::errc() && end == word.data() + word.size() ? bytes : SIZE_MAX;
}

}  // namespace

std::size_t control_group_limit(const ControlGroupFiles& files) {
  std::size_t least = SIZE_MAX;
  for_control_groups("memory", files, [&](const std::string& folder, int version) {
    least = std::min(least, limit_in(folder + (version == 2 ? "/memory.max" : "/memory.limit_in_bytes")));
  });
  return least;
}

std::size_t usable_ram_bytes() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long page_bytes = sysconf(_SC_PAGESIZE);
  std::size_t ram =
      pages > 0 && page_bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) : SIZE_MAX;
  return std::min(ram, control_group_limit());
}

}  // namespace lutra
