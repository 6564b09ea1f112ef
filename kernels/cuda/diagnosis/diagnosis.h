// Why a card is used or not, for `lutra doctor`: first from files, then from the driver. A failed finding says the
// reason and what to do. Only the doctor runs this.
#pragma once

#include <string>
#include <vector>

#include "device/cuda/driver.h"
#include "device/finding.h"
#include "kernels/cuda/libraries/library_search.h"
#include "kernels/cuda/libraries/system.h"

namespace lutra::cuda {

// The kernel's driver and the device files. `has_driver`: whether further checks make sense.
std::vector<Finding> diagnose_system(const System& system, bool* has_driver);

// Whether CUDA_VISIBLE_DEVICES hides all cards.
Finding diagnose_visible(const System& system);

// What the plugin was built for.
struct PluginFacts {
  std::string architectures;  // "sm_90 compute_80"; "" without a plugin
  int toolkit_version = 0;    // 13000 is CUDA 13.0; 0: not known
  bool has_products = false;  // kernels that call cuBLASLt
};

// Where libcuda.so.1 is. `file` is the one to open, "" if there is none.
Finding diagnose_driver_library(const System& system, std::string* file);

// Whether the driver starts, is new enough, and shows cards. `count` is their number.
Finding diagnose_driver(const Driver& driver, const PluginFacts& plugin, const System& system, int* count);

// The driver's first `count` cards: what each is, whether the plugin has code for it (without code it gets no number
// GPU:n), how much of its memory other programs hold and, if cudnn_file is given, whether cuDNN starts on it. Creates a
// context.
std::vector<Finding> diagnose_cards(const Driver& driver, int count, const PluginFacts& plugin, const System& system,
                                    const std::string& cudnn_file = "");

// cuBLASLt, for a driver for that CUDA (0: not known). `is_needed`: the plugin has kernels that call it.
Finding diagnose_cublas(const LibrarySearch& found, bool is_needed, int driver_version);

// NCCL, which is optional for sums over several cards.
Finding diagnose_nccl(const System& system, const std::string& beside);

// cuDNN, which is optional for convolutions.
Finding diagnose_cudnn(const System& system, const std::string& beside);

}  // namespace lutra::cuda
