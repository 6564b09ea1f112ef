// A machine seen from outside NVIDIA's interface: its files and the environment. All paths begin with "/"; a test
// gives a folder that stands for that, and says itself which files may be opened.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::cuda {

struct System {
  std::string root;                                        // put before every path
  std::function<const char*(const char* name)> variable;   // of the environment; null: not set
  std::function<int(const std::string& path)> open_error;  // of opening it to read and write; 0: none
  std::string at(const std::string& path) const { return root + path; }

  bool has(const std::string& path) const;
  // The whole file, up to 64 KiB; "" when it cannot be read.
  std::string read(const std::string& path) const;
  // Names in the folder, sorted; none when it cannot be read.
  std::vector<std::string> list(const std::string& folder) const;
  // Where a symbolic link points; "" for anything else.
  std::string link(const std::string& path) const;
  // The path once all links are followed, root and all; the path itself when nothing is there.
  std::string real_path(const std::string& path) const;
  // "" where not set.
  std::string value(const char* name) const;
};

// "a, b"
std::string joined(const std::vector<std::string>& words);
// Whether it is made of digits alone.
bool is_number(std::string_view word);

// The machine this runs on.
System own_system();

}  // namespace lutra::cuda
