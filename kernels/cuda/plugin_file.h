// Finding and opening liblutra_cuda.so.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/launch.h"

namespace lutra::cuda {

// The files that may be the plugin, best first: in LUTRA_PLUGIN_PATH when that is set, else beside the program or
// library that this code is part of and in the lib folders next to it. Never in the working folder.
std::vector<std::string> plugin_files();

// The first of them that is there, by its shortest path; "" when none is.
std::string plugin_file();

// Its folder, with a slash at the end; "" when there is none.
std::string plugin_folder();

// cuBLASLt for a driver of that CUDA, best place first (device/cuda/library_search.h); "" when there is none.
std::string cublas_lt_file(int driver_version);

// cuDNN, searched for in the same places; "" when there is none, or when LUTRA_CUDNN is 0.
std::string cudnn_file();

// NCCL likewise, by LUTRA_NCCL.
std::string nccl_file();

// The plugin of this build; null, and why, as Backend::discover says it, when there is none. It is never closed.
const CudaPlugin* open_plugin(std::string* why);

// The plugin's kernels as those of GPUs; without cuBLASLt those that need it are none.
void add_plugin_kernels(KernelRegistry& kernels, const CudaPlugin& plugin, bool has_cublas);

}  // namespace lutra::cuda
