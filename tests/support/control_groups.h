// A folder that looks like /sys/fs/cgroup, and a file that looks like /proc/self/cgroup.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/control_groups.h"
#include "core/text.h"

class FakeControlGroups {
 public:
  // The lines of /proc/self/cgroup.
  explicit FakeControlGroups(const std::string& lines)
      : root_(std::filesystem::temp_directory_path() / lutra::text("lutra_groups_", getpid())) {
    std::filesystem::remove_all(root_);
    write("self", lines);
  }
  ~FakeControlGroups() { std::filesystem::remove_all(root_); }
  FakeControlGroups(const FakeControlGroups&) = delete;

  void write(const std::string& file, const std::string& words) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << words;
  }
  lutra::ControlGroupFiles files() const { return {(root_ / "self").string(), root_.string()}; }

 private:
  std::filesystem::path root_;
};
