// The control groups (Linux' cgroups, version 1 and 2) that limit this process: containers and services live in them.
#pragma once

#include <functional>
#include <string>

namespace lutra {

// Where the groups of a process are listed, and where they are mounted; tests say others.
struct ControlGroupFiles {
  std::string list = "/proc/self/cgroup", mount = "/sys/fs/cgroup";
};

// Calls see(folder, version) for each group that limits this process by `controller`, such as "memory", and for those
// around it.
void for_control_groups(const std::string& controller, const ControlGroupFiles& files,
                        const std::function<void(const std::string& folder, int version)>& see);

}  // namespace lutra
