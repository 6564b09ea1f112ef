// Compares our declarations of NCCL's interface with NVIDIA's, where those are installed.
#if __has_include(<nccl.h>)
#include <nccl.h>

#include "kernels/cuda/alike.h"
#include "kernels/cuda/libraries/nccl.h"

namespace lutra::cuda {
namespace {

#define LUTRA_CUDA_FUNCTION(name, symbol, parameters) \
  static_assert(Alike<decltype(Nccl::name), decltype(&::symbol)>::all(), #symbol);
LUTRA_NCCL(LUTRA_CUDA_FUNCTION)
#undef LUTRA_CUDA_FUNCTION
static_assert(Alike<decltype(Nccl::result_text), decltype(&::ncclGetErrorString)>::all());

static_assert(NCCL_MAJOR == 2 && kNcclSuccess == ncclSuccess && kNcclSum == ncclSum);
static_assert(kNcclFloat16 == ncclFloat16 && kNcclFloat32 == ncclFloat32 && kNcclFloat64 == ncclFloat64 &&
              kNcclBFloat16 == ncclBfloat16);

}  // namespace
}  // namespace lutra::cuda
#endif
