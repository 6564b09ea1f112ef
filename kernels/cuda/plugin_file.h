// Finding and opening liblutra_cuda.so.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/launch.h"

namespace lutra::cuda {

// The files that may be the plugin of that name, best first: in LUTRA_PLUGIN_PATH if that is set; else in the folder of
// the program or library that this code is part of, and in the lib folders next to it. Never in the working folder.
std::vector<std::string> plugin_files(const char* name);

// The first of them that exists, by its shortest path; "" when none does.
std::string plugin_file();

// Its folder, with a slash at the end; "" when there is none.
std::string plugin_folder();

// cuBLASLt for a driver of that CUDA version, best place first (libraries/library_search.h); "" when there is none.
std::string cublas_lt_file(int driver_version);

// cuDNN, searched for in the same places; "" when there is none, or when LUTRA_CUDNN is 0.
std::string cudnn_file();

// NCCL likewise, with LUTRA_NCCL.
std::string nccl_file();

// The plugin of this build. Null when there is none; `*why` is then the reason, as Backend::discover gives it. It is
// never closed.
const CudaPlugin* open_plugin(std::string* why);

// Registers the plugin's kernels for GPUs; without cuBLASLt, not those that need it.
void add_plugin_kernels(KernelRegistry& kernels, const CudaPlugin& plugin, bool has_cublas);

}  // namespace lutra::cuda
