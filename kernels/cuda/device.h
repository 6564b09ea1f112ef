// How a kernel is written and started. The same sources are compiled by nvcc for cards and, for tests, by the host's
// compiler (LUTRA_CUDA_ON_HOST): a kernel asks these functions which thread it is, and launch() starts it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/launch.h"

#ifdef LUTRA_CUDA_ON_HOST
#include "kernels/cuda/on_host.h"
#else
#include <cuda_runtime.h>
#endif

namespace lutra::cuda {

inline constexpr int kBlockThreads = 256;

struct Grid {
  unsigned blocks;
  unsigned threads = kBlockThreads;
};

// As many blocks as have work, at most those that run at once.
inline Grid grid_for(const CudaLaunch& launch, int64_t threads_with_work) {
  constexpr int64_t kBlocksPerMultiprocessor = 2048 / kBlockThreads;
  int64_t wanted = (threads_with_work + kBlockThreads - 1) / kBlockThreads;
  int64_t at_once = std::max(launch.multiprocessors, 1) * kBlocksPerMultiprocessor;
  return {static_cast<unsigned>(std::clamp<int64_t>(wanted, 1, at_once))};
}

#ifdef LUTRA_CUDA_ON_HOST

#define LUTRA_GLOBAL
#define LUTRA_DEVICE

inline int64_t thread_index() { return on_host::here.thread; }
inline int64_t thread_count() { return on_host::here.threads; }

inline void tell_fault(FaultSlot* slot, FaultCode code, int64_t value = 0, int64_t limit = 0) {
  if (slot->code == 0) *slot = {static_cast<uint32_t>(code), 0, value, limit};
}

template <class... P>
void launch(const CudaLaunch& launch, Grid grid, void (*kernel)(P...), std::type_identity_t<P>... args) {
  launch.error = on_host::launch(launch.stream, grid.blocks * grid.threads, [=] { kernel(args...); });
}

#else

#define LUTRA_GLOBAL __global__
#define LUTRA_DEVICE __device__

// Among all threads of the launch.
LUTRA_DEVICE inline int64_t thread_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
LUTRA_DEVICE inline int64_t thread_count() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// The first one told is kept.
LUTRA_DEVICE inline void tell_fault(FaultSlot* slot, FaultCode code, int64_t value = 0, int64_t limit = 0) {
  if (atomicCAS(&slot->code, 0u, static_cast<uint32_t>(code)) != 0) return;
  slot->value = value;
  slot->limit = limit;
}

template <class... P>
void launch(const CudaLaunch& launch, Grid grid, void (*kernel)(P...), std::type_identity_t<P>... args) {
  void* pointers[] = {static_cast<void*>(&args)...};
  launch.error =
      static_cast<int>(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(grid.blocks), dim3(grid.threads),
                                        pointers, 0, static_cast<cudaStream_t>(launch.stream)));
}

#endif

}  // namespace lutra::cuda
