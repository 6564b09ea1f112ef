// Where a shared library of NVIDIA's lies: beside the plugin, in LUTRA_CUDA_PATH, in the toolkit's folders, in the
// system's. It is found by looking, not by opening, so that who asks why it is missing can be told where it was sought;
// what is found is opened by its whole path.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/system.h"

namespace lutra::cuda {

struct LibrarySearch {
  std::string file;                   // "/usr/local/cuda/lib64/libcublasLt.so.13"; "" when there is none
  int major = 0;                      // 13
  std::string version;                // "13.0.0.19", from the file's name
  std::vector<std::string> folders;   // looked in, in order
  std::vector<std::string> unwanted;  // files of that library with another major version, up to the folder of `file`
};

// The major versions of cuBLASLt that Lutra knows how to use, best first.
inline constexpr int kCublasLtMajors[] = {13, 12};
inline constexpr int kCudnnMajors[] = {9};
inline constexpr int kNcclMajors[] = {2};
inline constexpr int kDriverMajors[] = {1};

// Those of them that run on a driver for that CUDA (13000 is 13.0; 0: not known): a toolkit's libraries want a driver
// of its major version or a later one. Never empty.
std::span<const int> cublas_lt_majors(int driver_version);

// Whether cuDNN and NCCL are looked for: LUTRA_CUDNN, or LUTRA_NCCL, does not say 0.
bool is_cudnn_wanted(const System& system);
bool is_nccl_wanted(const System& system);

// lib<name>.so.<major> in the first folder that has one; of several majors there the first. `beside` is the plugin's
// folder; "" leaves that place out.
LibrarySearch search_library(std::string_view name, std::span<const int> majors, const std::string& beside,
                             const System& system);

// The same in the system's folders alone, where a driver puts libcuda.so.1.
LibrarySearch search_system_library(std::string_view name, std::span<const int> majors, const System& system);

}  // namespace lutra::cuda
