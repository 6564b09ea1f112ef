#include "device/cuda/cudnn.h"

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>

#include "core/text.h"

namespace lutra::cuda {

const Cudnn* open_cudnn(const std::string& file, std::string* why) {
  // Neither is ever destroyed: cards of a program that ends may still give their handles back.
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, std::unique_ptr<Cudnn>>;
  std::lock_guard lock(mutex);
  if (auto found = known.find(file); found != known.end()) return found->second.get();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    *why = text("cuDNN cannot be opened: ", reason != nullptr ? reason : file);
    return nullptr;
  }
  auto library = std::make_unique<Cudnn>();
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters)                                          \
  library->name = reinterpret_cast<DnnStatus(*) parameters>(dlsym(handle, #symbol));           \
  if (library->name == nullptr) {                                                              \
    *why = text(file, " has no " #symbol ": it is no cuDNN, or one that Lutra does not know"); \
    return nullptr;                                                                            \
  }
  LUTRA_CUDNN(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
  library->status_text = reinterpret_cast<const char* (*)(DnnStatus)>(dlsym(handle, "cudnnGetErrorString"));
  return (known[file] = std::move(library)).get();
}

}  // namespace lutra::cuda
