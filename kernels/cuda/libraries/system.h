// The machine as seen without NVIDIA's interface: its files and the environment. All paths begin with "/". A test gives
// another root folder, and decides which files can be opened.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::cuda {

struct System {
  std::string root;                                        // put before every path
  std::function<const char*(const char* name)> variable;   // of the environment; null: not set
  std::function<int(const std::string& path)> open_error;  // of opening it for reading and writing; 0: none
  std::string at(const std::string& path) const { return root + path; }

  bool has(const std::string& path) const;
  // The whole file, up to 64 KiB; "" if it cannot be read.
  std::string read(const std::string& path) const;
  // Names in the folder, sorted; none if it cannot be read.
  std::vector<std::string> list(const std::string& folder) const;
  // Where a symbolic link points; "" for anything else.
  std::string link(const std::string& path) const;
  // The full path with all links followed, including the root; the path itself if it does not exist.
  std::string real_path(const std::string& path) const;
  // "" if not set.
  std::string value(const char* name) const;
};

// "a, b"
std::string joined(const std::vector<std::string>& words);
// Whether it consists of digits only.
bool is_number(std::string_view word);

// The machine this process runs on.
System own_system();

}  // namespace lutra::cuda
