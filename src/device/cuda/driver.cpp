#include "device/cuda/driver.h"

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>

#include "core/text.h"

namespace lutra::cuda {
namespace {

const char* last_load_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason was given";
}

}  // namespace

int Driver::version() const {
  int version = 0;
  return driver_version(&version) == kSuccess ? version : 0;
}

std::string Driver::text_of(Result result) const {
  const char* name = nullptr;
  const char* words = nullptr;
  if (error_name(result, &name) != kSuccess || name == nullptr) return text("CUDA error ", result);
  if (error_text(result, &words) != kSuccess || words == nullptr) return name;
  return text(name, ": ", words);
}

const Driver* open_driver(const char* library, std::string* why) {
  // Neither is ever destroyed: streams may still use the driver while the program ends.
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, std::unique_ptr<Driver>>;
  std::lock_guard lock(mutex);
  if (auto found = known.find(library); found != known.end()) return found->second.get();
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    *why = text("the driver's library cannot be opened: ", last_load_error());
    return nullptr;
  }
  auto driver = std::make_unique<Driver>();
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters)                                                 \
  driver->name = reinterpret_cast<Result(*) parameters>(dlsym(handle, #symbol));                      \
  if (driver->name == nullptr) {                                                                      \
    *why = text("the driver's library ", library, " has no " #symbol ": it is older than CUDA 11.2"); \
    return nullptr;                                                                                   \
  }
  LUTRA_CUDA_DRIVER(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
  return (known[library] = std::move(driver)).get();
}

}  // namespace lutra::cuda
