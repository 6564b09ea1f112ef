// The table that Lutra reads when it opens the plugin.
#include "kernels/cuda_border.h"
#include "kernels/cuda_families.h"

#ifdef CUDART_VERSION
constexpr int kToolkitVersion = CUDART_VERSION;
#else
constexpr int kToolkitVersion = 0;
#endif

extern "C" __attribute__((visibility("default"))) const lutra::cuda::CudaPlugin* lutra_cuda_plugin(
    const lutra::cuda::CudaHost* lutra_host) {
  using namespace lutra::cuda;
  host = lutra_host;
  static const CudaKernels kernels = [] {
    CudaKernels all;
    register_all_cuda(all);
    return all;
  }();
  static const CudaPlugin plugin{sizeof(CudaPlugin),       kBorderId,      kernels.rows().data(), kernels.rows().size(),
                                 LUTRA_CUDA_ARCHITECTURES, kToolkitVersion};
  return &plugin;
}
