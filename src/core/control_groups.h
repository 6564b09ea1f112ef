// The control groups (Linux' cgroups, version 1 and 2) that limit this process: containers and services live in them.
#pragma once

#include <functional>
#include <string>

namespace lutra {

// The file that lists a process' groups, and where groups are mounted. Tests set others.
struct ControlGroupFiles {
  std::string list = "/proc/self/cgroup", mount = "/sys/fs/cgroup";
};

// Calls see(folder, version) for each group that limits this process by `controller`, such as "memory", and for its
// ancestors.
void for_control_groups(const std::string& controller, const ControlGroupFiles& files,
                        const std::function<void(const std::string& folder, int version)>& see);

}  // namespace lutra
