#include "kernels/cuda/libraries/nccl.h"

#include "kernels/cuda/libraries/opened_library.h"

namespace lutra::cuda {

const Nccl* open_nccl(const std::string& file, std::string* why) {
  auto find = [](void* handle, Nccl& library) -> const char* {
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters)                                \
  library.name = reinterpret_cast<NcclResult(*) parameters>(dlsym(handle, #symbol)); \
  if (library.name == nullptr) return #symbol;
    LUTRA_NCCL(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
    library.result_text = reinterpret_cast<const char* (*)(NcclResult)>(dlsym(handle, "ncclGetErrorString"));
    return nullptr;
  };
  return open_library<Nccl>(file, "NCCL", "older than 2.4", find, why);
}

}  // namespace lutra::cuda
