// A library of NVIDIA's, opened when it is first needed and kept for good.
#pragma once

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/text.h"

namespace lutra::cuda {

// What a file has, looked up once. find(handle, functions) fills in a table of functions; it returns the name of one
// that is missing, or null. Null, and why: it cannot be opened, or is not `title`; `else_what` says what else it may
// be.
template <class Functions, class Find>
const Functions* open_library(const std::string& file, const char* title, const char* else_what, const Find& find,
                              std::string* why) {
  // Neither is ever destroyed: cards of a program that ends may still give their handles back.
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
