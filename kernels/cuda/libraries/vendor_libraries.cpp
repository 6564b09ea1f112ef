#include "kernels/cuda/libraries/vendor_libraries.h"

namespace lutra::cuda {

// The handles stay open: destroying them would call the libraries, and those the driver.
void VendorLibraries::abandon() {
  for (auto& [devices, made] : communicators) static_cast<void>(made.release());
  static_cast<void>(products.release());
  static_cast<void>(convolutions.release());
}

VendorLibraries& libraries_of(Card& card) {
  if (card.libraries == nullptr) [[unlikely]]
    card.libraries = std::make_unique<VendorLibraries>();
  // Nobody else fills the slot.
  return static_cast<VendorLibraries&>(*card.libraries);
}

}  // namespace lutra::cuda
