// How a kernel is written and started. The same sources are compiled by nvcc for cards and, for tests, by the host's
// compiler (LUTRA_CUDA_ON_HOST). A kernel asks these functions which thread it is, and launch() starts it.
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

// As many blocks as have work, but no more than run at once.
inline Grid grid_for(const CudaLaunch& launch, int64_t threads_with_work) {
  constexpr int64_t kBlocksPerMultiprocessor = 2048 / kBlockThreads;
  int64_t wanted = (threads_with_work + kBlockThreads - 1) / kBlockThreads;
  int64_t at_once = std::max(launch.multiprocessors, 1) * kBlocksPerMultiprocessor;
  return {static_cast<unsigned>(std::clamp<int64_t>(wanted, 1, at_once))};
}

// A thread for each piece of work. For kernels that read and write whole units in order: blocks that start one after
// the other reach 8% more of an H200's bandwidth than threads that come back for more (docs/cuda.md).
inline Grid grid_of_all(int64_t threads_with_work) {
  int64_t blocks = (threads_with_work + kBlockThreads - 1) / kBlockThreads;
  return {static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, INT32_MAX))};
}

#ifdef LUTRA_CUDA_ON_HOST

#define LUTRA_GLOBAL
#define LUTRA_DEVICE
#define LUTRA_SHARED

inline int64_t thread_index() { return on_host::here.thread; }
inline int64_t thread_count() { return on_host::here.threads; }

// For kernels whose blocks work together, a block is one call.
inline int64_t block_index() { return on_host::here.thread; }
inline int64_t block_count() { return on_host::here.threads; }
// Runs a block's threads between two barriers: f(number within the block).
template <class F> void for_threads(const F& f) {
  for (int t = 0; t < kBlockThreads; ++t) f(t);
}
// A value that each thread of a block keeps from one for_threads to the next.
template <class T> struct Kept {
  T& of(int t) { return all[t]; }
  T all[kBlockThreads];
};

inline void tell_fault(FaultSlot* slot, FaultCode code, int64_t value = 0, int64_t limit = 0) {
  if (slot->code == 0) *slot = {static_cast<uint32_t>(code), 0, value, limit};
}

template <class... P>
void launch(const CudaLaunch& launch, Grid grid, void (*kernel)(P...), std::type_identity_t<P>... args) {
  if (launch.error != 0) return;
  launch.error = on_host::launch(launch.stream, grid.blocks * grid.threads, [=] { kernel(args...); });
}

template <class... P>
void launch_blocks(const CudaLaunch& launch, int64_t blocks, void (*kernel)(P...), std::type_identity_t<P>... args) {
  if (launch.error != 0) return;
  launch.error = on_host::launch(launch.stream, blocks, [=] { kernel(args...); });
}

template <class... P>
void launch_all_blocks(const CudaLaunch& on, int64_t blocks, void (*kernel)(P...), std::type_identity_t<P>... args) {
  launch_blocks(on, blocks, kernel, args...);
}

#else

#define LUTRA_GLOBAL __global__
#define LUTRA_DEVICE __device__
#define LUTRA_SHARED __shared__

// Among all threads of the launch.
LUTRA_DEVICE inline int64_t thread_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
LUTRA_DEVICE inline int64_t thread_count() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

LUTRA_DEVICE inline int64_t block_index() { return blockIdx.x; }
LUTRA_DEVICE inline int64_t block_count() { return gridDim.x; }
template <class F> LUTRA_DEVICE void for_threads(const F& f) {
  f(static_cast<int>(threadIdx.x));
  __syncthreads();
}
template <class T> struct Kept {
  LUTRA_DEVICE T& of(int) { return own; }
  T own;
};

// Keeps the first fault. The slot is in the host's memory: a thread that finds it taken leaves it, since each exchange
// crosses to the host on its own.
LUTRA_DEVICE inline void tell_fault(FaultSlot* slot, FaultCode code, int64_t value = 0, int64_t limit = 0) {
  if (*static_cast<volatile uint32_t*>(&slot->code) != 0) return;
  if (atomicCAS(&slot->code, 0u, static_cast<uint32_t>(code)) != 0) return;
  slot->value = value;
  slot->limit = limit;
}

// If a launch of the same op has failed, nothing more is queued: it would read what that launch should have written.
template <class... P>
void launch(const CudaLaunch& launch, Grid grid, void (*kernel)(P...), std::type_identity_t<P>... args) {
  if (launch.error != 0) return;
  void* pointers[] = {static_cast<void*>(&args)...};
  launch.error =
      static_cast<int>(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(grid.blocks), dim3(grid.threads),
                                        pointers, 0, static_cast<cudaStream_t>(launch.stream)));
}

// Launches a kernel whose threads work together within a block, on as many blocks as have work or run at once.
template <class... P>
void launch_blocks(const CudaLaunch& on, int64_t blocks, void (*kernel)(P...), std::type_identity_t<P>... args) {
  launch(on, grid_for(on, blocks * kBlockThreads), kernel, args...);
}
// The same, on a block for each piece of work (see grid_of_all).
template <class... P>
void launch_all_blocks(const CudaLaunch& on, int64_t blocks, void (*kernel)(P...), std::type_identity_t<P>... args) {
  launch(on, grid_of_all(blocks * kBlockThreads), kernel, args...);
}

#endif

}  // namespace lutra::cuda
