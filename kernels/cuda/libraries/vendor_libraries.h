// What cuBLASLt, cuDNN and NCCL have made on one card. The card owns it and knows nothing of these libraries.
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

  // With other cards, this the first of them; null where NCCL is not to be had for them.
  std::map<std::vector<DeviceHandle>, std::unique_ptr<Communicators>> communicators;
  bool without_convolutions = false;           // cuDNN was asked for, and is not to be had
  std::unique_ptr<Convolutions> convolutions;  // null until the first
  std::unique_ptr<Products> products;          // null until the first
};

// The card's own, made by the first call.
VendorLibraries& libraries_of(Card& card);

}  // namespace lutra::cuda
