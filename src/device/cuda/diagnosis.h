// Why a card is used or not, for `lutra doctor`: what can be told from files, then what the driver says. A finding that
// fails has a sentence with its reason and what to do. Nothing here runs unless the doctor is asked.
#pragma once

#include <string>
#include <vector>

#include "device/cuda/driver.h"
#include "device/cuda/library_search.h"
#include "device/cuda/system.h"
#include "device/finding.h"

namespace lutra::cuda {

// The kernel's driver and the device files. `has_driver`: it makes sense to go on.
std::vector<Finding> diagnose_system(const System& system, bool* has_driver);

// Whether CUDA_VISIBLE_DEVICES hides all.
Finding diagnose_visible(const System& system);

// What the plugin is made for.
struct PluginFacts {
  std::string architectures;  // "sm_90 compute_80"; "" without a plugin
  int toolkit_version = 0;    // 13000 is CUDA 13.0; 0: not known
  bool has_products = false;  // kernels that call cuBLASLt
};

// Where libcuda.so.1 is; `file` is what to open, "" when there is none.
Finding diagnose_driver_library(const System& system, std::string* file);

// Whether the driver starts, is new enough, and shows cards; their number.
Finding diagnose_driver(const Driver& driver, const PluginFacts& plugin, const System& system, int* count);

// The driver's first `count` cards: what each is, whether the plugin has code for it (one that it has none for is no
// GPU:n), how much of its memory others have, and, given its file, whether cuDNN starts there. Makes a context.
std::vector<Finding> diagnose_cards(const Driver& driver, int count, const PluginFacts& plugin, const System& system,
                                    const std::string& cudnn_file = "");

// cuBLASLt, as a driver for that CUDA (0: not known) takes it; `is_needed`: the plugin has kernels that call it.
Finding diagnose_cublas(const LibrarySearch& found, bool is_needed, int driver_version);

// NCCL, which sums over several cards can do without.
Finding diagnose_nccl(const System& system, const std::string& beside);

// cuDNN, which convolutions can do without.
Finding diagnose_cudnn(const System& system, const std::string& beside);

}  // namespace lutra::cuda
