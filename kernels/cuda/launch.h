// The interface between Lutra and its CUDA plugin: what a kernel's entry gets, the table that the plugin exports, and
// the functions of Lutra that it may call. Plain data and function pointers only, since the two are linked separately.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda/fault_slots.h"
#include "kernels/cuda/libraries/convolution.h"
#include "kernels/cuda/libraries/product.h"
#include "ops/einsum.h"
#include "ops/kernel.h"

namespace lutra::cuda {

struct ProductQueue;  // Lutra's own: the queue for a launch's products

// The arguments of KernelEntry::run here. It queues on `stream` of the current device and sets `error`.
struct CudaLaunch : KernelArgs {
  void* stream;         // a CUstream, which is a cudaStream_t
  FaultSlot* slot;      // in place of `fault`; null when the op checks no values
  int multiprocessors;  // of the card
  mutable int error;    // a CUresult (cudaError_t has the same values) or one of the two below; 0: queued
  ProductQueue* products;
};
inline constexpr int kProductFailed = -1, kNoSuchProduct = -2;  // the queue has the reason

// The functions of Lutra that the plugin may call.
struct CudaHost {
  // Queues a product that cuBLASLt computes. Returns 0, or an error for CudaLaunch::error. kNoSuchProduct: nothing was
  // queued, but the product might be without its bias.
  int (*multiply)(const CudaLaunch& on, const Product& product);
  // Whether convolve() is worth its memory: there is a cuDNN.
  bool (*has_convolutions)();
  // Whether cuDNN has a way to compute it.
  bool (*can_convolve)(const CudaLaunch& on, const Convolution& convolution);
  // Queues a convolution that it can compute. Returns 0, or an error as above. kNoSuchProduct: nothing was queued, and
  // it must be computed otherwise.
  int (*convolve)(const CudaLaunch& on, const Convolution& convolution);
  // ops/einsum.h's
  EinsumCall (*einsum_call)(const KernelArgs& args);
  EinsumCall (*dot_call)(const KernelArgs& args);
  EinsumCall (*outer_call)(const KernelArgs& args);
};

struct CudaKernel {
  const char* op;
  DTypes keys;
  KernelEntry entry;
  bool needs_cublas;  // for CudaHost::multiply
};

struct CudaPlugin {
  uint32_t bytes;  // of this struct
  const char* build;
  const CudaKernel* kernels;
  std::size_t count;
  const char* for_architectures;  // "sm_90 compute_80"
  int toolkit_version;            // of its compiler: 13000 is CUDA 13.0; 0: none, for the host
};

}  // namespace lutra::cuda

// The plugin exports CudaPluginEntry lutra_cuda_plugin. `host` must stay valid.
extern "C" {
using CudaPluginEntry = const lutra::cuda::CudaPlugin*(const lutra::cuda::CudaHost* host);
}
