// A machine made of files in a folder that goes away with it.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "kernels/cuda/libraries/system.h"

namespace lutra::test {

class FakeSystem {
 public:
  FakeSystem() {
    std::string name = (std::filesystem::temp_directory_path() / "lutra-system-XXXXXX").string();
    root_ = mkdtemp(name.data());
    system = {root_, [this](const char* variable) { return find(variable); },
              [this](const std::string& path) {
                auto found = closed.find(path.substr(root_.size()));
                return !std::filesystem::exists(path) ? ENOENT : found != closed.end() ? found->second : 0;
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
  std::map<std::string, int> closed;  // files that cannot be opened, and why

 private:
  const char* find(const char* variable) const {
    auto found = variables.find(variable);
    return found != variables.end() ? found->second.c_str() : nullptr;
  }
  std::string root_;
};

}  // namespace lutra::test
