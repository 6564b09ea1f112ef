#include "core/control_groups.h"

#include <fstream>

namespace lutra {

void for_control_groups(const std::string& controller, const ControlGroupFiles& files,
                        const std::function<void(const std::string& folder, int version)>& see) {
  // From the group up to the root. In a container the path may be the host's and not exist here; the root is then the
  // container's own group.
  auto see_all = [&](const std::string& root, std::string group, int version) {
    while (!group.empty() && group.back() == '/') group.pop_back();
    while (true) {
      see(root + group, version);
      std::size_t slash = group.rfind('/');
      if (slash == std::string::npos) return;
      group.resize(slash);
    }
  };
  std::ifstream in(files.list);
  // Lines are "hierarchy:controllers:path"; version 2's hierarchy is 0 and names no controllers.
  for (std::string line; std::getline(in, line);) {
    std::size_t first = line.find(':');
    std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      see_all(files.mount, group, 2);
      see_all(files.mount + "/unified", group, 2);
    } else if (controllers.find("," + controller + ",") != std::string::npos) {
      see_all(files.mount + "/" + controller, group, 1);
    }
  }
}

}  // namespace lutra
