#include "kernels/cuda/libraries/library_search.h"

#include <algorithm>
#include <charconv>

namespace lutra::cuda {
namespace {

#if defined(__aarch64__)
constexpr const char* kTriplet = "aarch64-linux-gnu";
constexpr const char* kTarget = "sbsa-linux";
#else
constexpr const char* kTriplet = "x86_64-linux-gnu";
constexpr const char* kTarget = "x86_64-linux";
#endif

struct Folders {
  std::vector<std::string> names, real_names;  // the same folders, and the same with links followed
};

// A folder that the user named is searched, and listed in messages, even if it does not exist. A relative one would
// depend on the working folder and is ignored.
void add_named(Folders& folders, const System& system, std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (!folder.starts_with('/')) return;
  std::string real = system.real_path(folder);
  auto& known = folders.real_names;
  if (std::find(known.begin(), known.end(), real) != known.end()) return;
  known.push_back(std::move(real));
  folders.names.push_back(std::move(folder));
}

void add_usual(Folders& folders, const System& system, const std::string& folder) {
  if (system.has(folder)) add_named(folders, system, folder);
}

void add_toolkit(Folders& folders, const System& system, const std::string& home) {
  if (home.empty()) return;
  add_usual(folders, system, home + "/lib64");
  add_usual(folders, system, home + "/lib");
  add_usual(folders, system, home + "/targets/" + kTarget + "/lib");
}

// Calls `use` with each entry of a list like PATH.
template <class Use> void each_part(const std::string& list, const Use& use) {
  for (std::size_t at = 0; at <= list.size();) {
    std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) use(list.substr(at, end - at));
    at = end + 1;
  }
}

// The folders of /etc/ld.so.conf and of the files it includes.
void add_configured(Folders& folders, const System& system, const std::string& file, int depth = 0) {
  std::string all = system.read(file);
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = std::min(all.find('\n', at), all.size());
    std::string line = all.substr(at, end - at);
    at = end + 1;
    line.resize(std::min(line.find('#'), line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.pop_back();
    if (line.starts_with('/')) add_usual(folders, system, line);
    if (!line.starts_with("include ") || depth > 3) continue;
    std::string folder = line.substr(8, line.rfind('/') - 8);
    for (const std::string& name : system.list(folder)) {
      if (name.ends_with(".conf")) add_configured(folders, system, folder + "/" + name, depth + 1);
    }
  }
}

void add_system(Folders& folders, const System& system) {
  each_part(system.value("LD_LIBRARY_PATH"), [&](const std::string& part) { add_named(folders, system, part); });
  add_configured(folders, system, "/etc/ld.so.conf");
  for (const std::string& folder :
       {std::string("/lib/") + kTriplet, std::string("/usr/lib/") + kTriplet, std::string("/lib64"),
        std::string("/usr/lib64"), std::string("/lib"), std::string("/usr/lib"), std::string("/usr/lib/wsl/lib")}) {
    add_usual(folders, system, folder);
  }
}

// The major version of lib<name>.so.<major>...; -1 for any other file name.
int major_of(std::string_view file, std::string_view stem) {
  int major = -1;
  if (!file.starts_with(stem)) return -1;
  std::from_chars(file.data() + stem.size(), file.data() + file.size(), major);
  return major;
}

LibrarySearch look(std::string_view name, std::span<const int> majors, const System& system, Folders folders) {
  LibrarySearch found;
  found.folders = std::move(folders.names);
  std::string stem = "lib" + std::string(name) + ".so.";
  for (const std::string& folder : found.folders) {
    for (const std::string& file : system.list(folder)) {
      int major = major_of(file, stem);
      bool is_wanted = std::find(majors.begin(), majors.end(), major) != majors.end();
      if (major >= 0 && !is_wanted) found.unwanted.push_back(folder + "/" + file);
    }
    for (int major : majors) {
      std::string file = folder + "/" + stem + std::to_string(major);
      if (!system.has(file)) continue;
      std::string real = system.real_path(file);
      real.erase(0, real.rfind('/') + 1);
      found.file = file;
      found.major = major;
      found.version = real.starts_with(stem) ? real.substr(stem.size()) : std::to_string(major);
      return found;
    }
  }
  return found;
}

bool is_off(const std::string& value) { return value == "0" || value == "false" || value == "off" || value == "no"; }

}  // namespace

std::span<const int> cublas_lt_majors(int driver_version) {
  std::span<const int> majors = kCublasLtMajors;
  while (majors.size() > 1 && driver_version > 0 && majors.front() > driver_version / 1000) majors = majors.subspan(1);
  return majors;
}

bool is_cudnn_wanted(const System& system) { return !is_off(system.value("LUTRA_CUDNN")); }
bool is_nccl_wanted(const System& system) { return !is_off(system.value("LUTRA_NCCL")); }

LibrarySearch search_library(std::string_view name, std::span<const int> majors, const std::string& beside,
                             const System& system) {
  Folders folders;
  add_named(folders, system, beside);
  each_part(system.value("LUTRA_CUDA_PATH"), [&](const std::string& part) {
    add_named(folders, system, part);
    add_toolkit(folders, system, part);
  });
  add_toolkit(folders, system, system.value("CUDA_HOME"));
  add_toolkit(folders, system, system.value("CUDA_PATH"));
  add_toolkit(folders, system, "/usr/local/cuda");
  for (int major : majors) {
    std::string prefix = "cuda-" + std::to_string(major);
    std::vector<std::string> names = system.list("/usr/local");
    // The latest of a major version first: "cuda-12.10" is later than "cuda-12.9", so compare lengths, then letters.
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() > b.size() : a > b;
    });
    for (const std::string& each : names) {
      if (each == prefix || each.starts_with(prefix + ".")) add_toolkit(folders, system, "/usr/local/" + each);
    }
  }
  add_toolkit(folders, system, "/opt/cuda");
  add_system(folders, system);
  return look(name, majors, system, std::move(folders));
}

LibrarySearch search_system_library(std::string_view name, std::span<const int> majors, const System& system) {
  Folders folders;
  add_system(folders, system);
  return look(name, majors, system, std::move(folders));
}

}  // namespace lutra::cuda
