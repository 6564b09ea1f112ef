#include "kernels/cuda/libraries/cublas_lt.h"

#include "kernels/cuda/libraries/opened_library.h"

namespace lutra::cuda {

const CublasLt* open_cublas_lt(const std::string& file, std::string* why) {
  auto find = [](void* handle, CublasLt& library) -> const char* {
#define LUTRA_CUDA_FUNCTION(name, symbol, parameters)                                \
  library.name = reinterpret_cast<BlasStatus(*) parameters>(dlsym(handle, #symbol)); \
  if (library.name == nullptr) return #symbol;
    LUTRA_CUBLAS_LT(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
    library.status_name = reinterpret_cast<const char* (*)(BlasStatus)>(dlsym(handle, "cublasLtGetStatusName"));
    return nullptr;
  };
  return open_library<CublasLt>(file, "cuBLASLt", "older than CUDA 12", find, why);
}

}  // namespace lutra::cuda
