// How much memory this process may use: the machine's and the control groups' word.
#pragma once

#include <cstddef>
#include <string>

namespace lutra {

// The smaller of RAM and the control group's limit, in bytes.
std::size_t usable_ram_bytes();

// The least limit of the control groups that `groups_file` (/proc/self/cgroup) names and of those around them, version
// 1 or 2, below `mount` (/sys/fs/cgroup); SIZE_MAX when none says.
std::size_t control_group_limit(const std::string& groups_file, const std::string& mount);

}  // namespace lutra
