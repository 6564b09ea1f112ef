// The files that a sandbox's scripts may open: those in given folders, after links and ".." are resolved. Only this
// class decides whether a path may be used. Every function that opens a path for a script takes an AllowedPaths; null
// allows every path.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace lutra {

// A file's name that cannot change its meaning while it is used: the folder is held open.
struct AllowedFile {
  std::string path;
  std::shared_ptr<const int> folder;  // its descriptor, closed with the last copy; null where all paths are allowed
};

class AllowedPaths {
 public:
  enum class Access { Read, Write };

  // Each entry is a folder or a file that may be read and written; after "read:" it may only be read. Fails (NotFound)
  // if one does not exist. most_open: files open at one time; 0: any number. `passed` is called where there are more.
  AllowedPaths(const char* who, const std::vector<std::string>& entries, int most_open, void (*passed)(void*),
               void* user);
  AllowedPaths(const AllowedPaths&) = delete;

  // Fails (FailedPrecondition) unless the path may be used so. A file to be written need not exist, but its folder.
  AllowedFile find(const std::string& label, const std::string& path, Access access) const;

  // Counts a file that is open as long as the result lives. Fails (ResourceExhausted) if too many are.
  std::shared_ptr<void> opened(const std::string& label) const;

 private:
  struct Root {
    std::string given;
    std::string path;  // absolute, without links
    bool may_write;
  };
  bool allows(const std::string& real, Access access) const;
  [[noreturn]] void refuse(const std::string& label, Access access) const;

  std::vector<Root> roots_;
  int most_open_;
  std::shared_ptr<std::atomic<int>> open_;  // files may be closed on another thread
  void (*passed_)(void*);
  void* user_;
};

// The file to open for `path`. Null `allowed`: the path itself.
AllowedFile allowed_file(const AllowedPaths* allowed, const std::string& label, const std::string& path,
                         AllowedPaths::Access access);

}  // namespace lutra
