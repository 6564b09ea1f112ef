// Finds one of NVIDIA's shared libraries: beside the plugin, in LUTRA_CUDA_PATH, in the toolkit's folders, in the
// system's. It looks for files and opens none, so that the error for a missing library can list where it was sought. A
// library that is found is opened by its full path.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cuda/libraries/system.h"

namespace lutra::cuda {

struct LibrarySearch {
  std::string file;                   // "/usr/local/cuda/lib64/libcublasLt.so.13"; "" if none
  int major = 0;                      // 13
  std::string version;                // "13.0.0.19", from the file's name
  std::vector<std::string> folders;   // searched, in order
  std::vector<std::string> unwanted;  // other major versions of the library, up to the folder of `file`
};

// The major versions of cuBLASLt that Lutra can use, best first.
inline constexpr int kCublasLtMajors[] = {13, 12};
inline constexpr int kCudnnMajors[] = {9};
inline constexpr int kNcclMajors[] = {2};
inline constexpr int kDriverMajors[] = {1};

// Those that run on a driver for that CUDA (13000 is 13.0; 0: not known): a toolkit's libraries need a driver of their
// major version or a later one. Never empty.
std::span<const int> cublas_lt_majors(int driver_version);

// Whether to look for cuDNN and NCCL: unless LUTRA_CUDNN, or LUTRA_NCCL, is 0.
bool is_cudnn_wanted(const System& system);
bool is_nccl_wanted(const System& system);

// Finds lib<name>.so.<major> in the first folder that has one; if that has several majors, takes the first of `majors`.
// `beside` is the plugin's folder; "" leaves it out.
LibrarySearch search_library(std::string_view name, std::span<const int> majors, const std::string& beside,
                             const System& system);

// The same in the system's folders only, where a driver installs libcuda.so.1.
LibrarySearch search_system_library(std::string_view name, std::span<const int> majors, const System& system);

}  // namespace lutra::cuda
