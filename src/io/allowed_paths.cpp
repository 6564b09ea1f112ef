// A path is opened with O_PATH, which follows links and ".." without touching the file, and /proc tells what it is. It
// is then used by way of its folder's descriptor: /proc/self/fd/N/name. So what was checked is what is opened.
#include "io/allowed_paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "core/error.h"
#include "io/source.h"

namespace lutra {
namespace {

using Descriptor = std::shared_ptr<const int>;

Descriptor open_to_look(const std::string& path, int flags = 0) {
  const int number = open(path.c_str(), O_PATH | O_CLOEXEC | flags);
  if (number < 0) return nullptr;
  return Descriptor(new int(number), [](const int* held) {
    close(*held);
    delete held;
  });
}

std::string proc_path(int number) { return text("/proc/self/fd/", number); }

// The absolute path of an open file or folder, without links; "" if it has none any more.
std::string real_path(const Descriptor& file) {
  char path[4097];
  const ssize_t length = readlink(proc_path(*file).c_str(), path, sizeof path);
  if (length <= 0 || length >= static_cast<ssize_t>(sizeof path) || path[0] != '/') return "";
  return std::string(path, static_cast<std::size_t>(length));
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string below(const Descriptor& folder, const std::string& name) { return text(proc_path(*folder), "/", name); }

}  // namespace

AllowedPaths::AllowedPaths(const char* who, const std::vector<std::string>& entries, int most_open,
                           void (*passed)(void*), void* user)
    : most_open_(most_open), open_(std::make_shared<std::atomic<int>>(0)), passed_(passed), user_(user) {
  constexpr std::string_view kRead = "read:";
  for (const std::string& entry : entries) {
    const bool may_write = !entry.starts_with(kRead);
    const std::string path = may_write ? entry : entry.substr(kRead.size());
    Descriptor root = path.empty() ? nullptr : open_to_look(path);
    const int problem = errno;
    const std::string real = root != nullptr ? real_path(root) : "";
    if (real.empty()) {
      const std::string label = text(who, ": the allowed path ", quote(path));
      if (path.empty()) fail(ErrorCode::InvalidArgument, label, " is empty");
      fail_system(label, "cannot be opened", root != nullptr ? ENOENT : problem);
    }
    roots_.push_back({entry, real, may_write});
  }
}

bool AllowedPaths::allows(const std::string& real, Access access) const {
  for (const Root& root : roots_) {
    if (access == Access::Write && !root.may_write) continue;
    if (root.path == "/" || real == root.path) return true;
    if (real.starts_with(root.path) && real[root.path.size()] == '/') return true;
  }
  return false;
}

void AllowedPaths::refuse(const std::string& label, Access access) const {
  std::string all;
  for (const Root& root : roots_) {
    if (access == Access::Read || root.may_write) append(all, text(all.empty() ? "" : ", ", root.given));
  }
  const char* verb = access == Access::Read ? "read" : "written";
  fail(ErrorCode::FailedPrecondition, label, " may not be ", verb, " in this sandbox; ",
       all.empty() ? "nothing may" : "what may: ", all, ". The program that opened it sets allowed_paths (",
       access == Access::Read ? "--sandbox=read=DIR)" : "--sandbox=write=DIR)");
}

AllowedFile AllowedPaths::find(const std::string& label, const std::string& path, Access access) const {
  if (path.empty() || path.find('\0') != std::string::npos)
    fail(ErrorCode::InvalidArgument, label, ": a file's name is not empty, and has no zero byte");
  if (Descriptor file = open_to_look(path)) {
    const std::string real = real_path(file);
    if (real.empty() || !allows(real, access)) refuse(label, access);
    // Through its folder, as a writer makes a new file beside it.
    Descriptor folder = open_to_look(parent_of(real), O_DIRECTORY);
    if (folder == nullptr || real_path(folder) != parent_of(real)) refuse(label, access);
    if (access == Access::Read) return {proc_path(*file), file};
    return {below(folder, name_of(real)), folder};
  }
  const int problem = errno;
  struct stat facts;
  // A link to a file that does not exist may lead anywhere.
  if (lstat(path.c_str(), &facts) == 0) refuse(label, access);
  Descriptor folder = open_to_look(parent_of(path), O_DIRECTORY);
  const std::string name = name_of(path);
  const bool is_name = !name.empty() && name != "." && name != "..";
  if (folder == nullptr || !is_name || !allows(real_path(folder), access)) {
    // Whether files elsewhere exist is not told.
    std::string above = parent_of(path);
    while (folder == nullptr && above != "." && above != "/")
      folder = open_to_look(above = parent_of(above), O_DIRECTORY);
    if (folder != nullptr && is_name && allows(real_path(folder), access))
      fail_system(label, "cannot be opened", problem);
    refuse(label, access);
  }
  return {below(folder, name), folder};
}

std::shared_ptr<void> AllowedPaths::opened(const std::string& label) const {
  if (most_open_ > 0 && *open_ >= most_open_) {
    passed_(user_);
    fail(ErrorCode::ResourceExhausted, label, " cannot be opened: ", open_->load(),
         " files are open in this sandbox, which is its limit. Close files, or drop datasets, or raise open_files");
  }
  ++*open_;
  return std::shared_ptr<void>(static_cast<void*>(nullptr), [open = open_](void*) { --*open; });
}

AllowedFile allowed_file(const AllowedPaths* allowed, const std::string& label, const std::string& path,
                         AllowedPaths::Access access) {
  if (allowed == nullptr) return {path, nullptr};
  return allowed->find(label, path, access);
}

}  // namespace lutra
