#include "device/cuda/nccl.h"

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>

#include "core/text.h"

namespace lutra::cuda {

const Nccl* open_nccl(const std::string& file, std::string* why) {
  // Neither is ever destroyed: cards of a program that ends may still give theirs back.
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, std::unique_ptr<Nccl>>;
  std::lock_guard lock(mutex);
  if (auto found = known.find(file); found != known.end()) return found->second.get();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    *why = text("NCCL cannot be opened: ", reason != nullptr ? reason : file);
    return nullptr;
  }
  auto library = std::make_unique<Nccl>();
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters)                                 \
  library->name = reinterpret_cast<NcclResult(*) parameters>(dlsym(handle, #symbol)); \
  if (library->name == nullptr) {                                                     \
    *why = text(file, " has no " #symbol ": it is no NCCL, or one older than 2.4");   \
    return nullptr;                                                                   \
  }
  LUTRA_NCCL(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
  library->result_text = reinterpret_cast<const char* (*)(NcclResult)>(dlsym(handle, "ncclGetErrorString"));
  return (known[file] = std::move(library)).get();
}

}  // namespace lutra::cuda
