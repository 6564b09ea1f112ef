// A machine made of files in a folder that goes away with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "device/cuda/system.h"

namespace lutra::test {

class FakeSystem {
 public:
  FakeSystem() {
    std::string name = (std::filesystem::temp_directory_path() / "lutra-system-XXXXXX").string();
    root_ = mkdtemp(name.data());
    system = {root_, [this](const char* variable) { return find(variable); },
              [this](const std::string& path) {
                return std::filesystem::exists(path) && closed.count(path.substr(root_.size())) == 0;
              }};
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }
  FakeSystem(const FakeSystem&) = delete;

  void file(const std::string& path, const std::string& text = "") {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void link(const std::string& path, const std::string& to) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::filesystem::create_symlink(to, root_ + path);
  }

  cuda::System system;
  std::map<std::string, std::string> variables;
  std::set<std::string> closed;  // files that may not be opened

 private:
  const char* find(const char* variable) const {
    auto found = variables.find(variable);
    return found != variables.end() ? found->second.c_str() : nullptr;
  }
  std::string root_;
};

}  // namespace lutra::test
