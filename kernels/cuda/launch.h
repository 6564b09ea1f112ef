// The border between Lutra and its CUDA plugin: what a kernel's entry gets, and the table the plugin shows. Plain data
// and function pointers only, for the two are linked apart.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda/fault_slots.h"
#include "ops/kernel.h"

namespace lutra::cuda {

// What KernelEntry::run gets here. It queues on `stream` of the device that is current and sets `error`.
struct CudaLaunch : KernelArgs {
  void* stream;         // a CUstream, which is a cudaStream_t
  FaultSlot* slot;      // in place of `fault`; null when the op checks no values
  int multiprocessors;  // of the card
  mutable int error;    // a CUresult, which cudaError_t agrees with; 0: queued
};

struct CudaKernel {
  const char* op;
  DTypes keys;
  KernelEntry entry;
};

struct CudaPlugin {
  uint32_t bytes;  // of this struct
  const char* build;
  const CudaKernel* kernels;
  std::size_t count;
  const char* for_architectures;  // "sm_90 compute_80"
  int toolkit_version;            // that it was compiled with: 13000 is CUDA 13.0; 0: none, for the host
};

}  // namespace lutra::cuda

// What the plugin exports: CudaPluginEntry lutra_cuda_plugin.
extern "C" {
using CudaPluginEntry = const lutra::cuda::CudaPlugin*();
}
