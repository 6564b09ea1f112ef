#include "kernels/cuda/libraries/cudnn.h"

#include "kernels/cuda/libraries/opened_library.h"

namespace lutra::cuda {

const Cudnn* open_cudnn(const std::string& file, std::string* why) {
  auto find = [](void* handle, Cudnn& library) -> const char* {
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters)                               \
  library.name = reinterpret_cast<DnnStatus(*) parameters>(dlsym(handle, #symbol)); \
  if (library.name == nullptr) return #symbol;
    LUTRA_CUDNN(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
    library.status_text = reinterpret_cast<const char* (*)(DnnStatus)>(dlsym(handle, "cudnnGetErrorString"));
    return nullptr;
  };
  return open_library<Cudnn>(file, "cuDNN", "that Lutra does not know", find, why);
}

}  // namespace lutra::cuda
