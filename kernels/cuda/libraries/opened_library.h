// Opens one of NVIDIA's libraries when it is first needed, and keeps it open.
#pragma once

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/text.h"

namespace lutra::cuda {

// Looks up a library's functions, once per file. find(handle, functions) fills a table of functions and returns the
// name of a missing one, or null. Returns null, and sets *why, if the file cannot be opened or is not `title`;
// `else_what` says what else it may be.
template <class Functions, class Find>
const Functions* open_library(const std::string& file, const char* title, const char* else_what, const Find& find,
                              std::string* why) {
  // Neither is ever destroyed: cards may still return their handles while the program ends.
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, std::unique_ptr<Functions>>;
  std::lock_guard lock(mutex);
  if (auto found = known.find(file); found != known.end()) return found->second.get();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    *why = text(title, " cannot be opened: ", reason != nullptr ? reason : file);
    return nullptr;
  }
  auto functions = std::make_unique<Functions>();
  if (const char* missing = find(handle, *functions)) {
    *why = text(file, " has no ", missing, ": it is no ", title, ", or one ", else_what);
    return nullptr;
  }
  return (known[file] = std::move(functions)).get();
}

}  // namespace lutra::cuda
