#include "kernels/cuda/libraries/system.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>

namespace lutra::cuda {

bool System::has(const std::string& path) const { return access(at(path).c_str(), F_OK) == 0; }

std::string System::read(const std::string& path) const {
  int file = ::open(at(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "";
  std::string all(64 << 10, '\0');
  std::size_t count = 0;
  // Files in /proc return their content in several reads.
  for (ssize_t got; count < all.size() && (got = ::read(file, all.data() + count, all.size() - count)) > 0;) {
    count += static_cast<std::size_t>(got);
  }
  ::close(file);
  all.resize(count);
  return all;
}

std::vector<std::string> System::list(const std::string& folder) const {
  std::vector<std::string> names;
  DIR* open = opendir(at(folder).c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = readdir(open)) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(open);
  std::sort(names.begin(), names.end());
  return names;
}

std::string System::link(const std::string& path) const {
  char to[PATH_MAX];
  ssize_t length = readlink(at(path).c_str(), to, sizeof to);
  return length > 0 ? std::string(to, static_cast<std::size_t>(length)) : std::string();
}

std::string System::real_path(const std::string& path) const {
  char* real = realpath(at(path).c_str(), nullptr);
  std::string result = real != nullptr ? real : path;
  std::free(real);
  return result;
}

std::string System::value(const char* name) const {
  const char* text = variable(name);
  return text != nullptr ? text : "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

System own_system() {
  auto open_error = [](const std::string& path) {
    int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return errno;
    ::close(file);
    return 0;
  };
  return {"", [](const char* name) -> const char* { return std::getenv(name); }, open_error};
}

}  // namespace lutra::cuda
