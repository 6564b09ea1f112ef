// The handles and plans of cuBLASLt, cuDNN and NCCL for one card. The card owns them, without knowing these libraries.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "device/cuda/card.h"
#include "kernels/cuda/libraries/communicators.h"
#include "kernels/cuda/libraries/convolutions.h"
#include "kernels/cuda/libraries/products.h"

namespace lutra::cuda {

// All of it is made and used in the card's context. Members are destroyed last to first: communicators, which give
// contexts back, after the others.
struct VendorLibraries final : CardLibraries {
  void abandon() override;

  // By the list of cards that sum together, of which this is the first; null if NCCL is not available for them.
  std::map<std::vector<DeviceHandle>, std::unique_ptr<Communicators>> communicators;
  bool without_convolutions = false;           // cuDNN was looked for, and is not available
  std::unique_ptr<Convolutions> convolutions;  // null until the first
  std::unique_ptr<Products> products;          // null until the first
};

// The card's own, made by the first call.
VendorLibraries& libraries_of(Card& card);

}  // namespace lutra::cuda
