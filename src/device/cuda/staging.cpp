#include "device/cuda/staging.h"

namespace lutra::cuda {

void StagingRing::open() {
  if (base_ != nullptr) return;
  void* memory = nullptr;
  card_.require(card_.driver.allocate_host(&memory, capacity_, kHostPortable), "cuMemHostAlloc");
  base_ = static_cast<std::byte*>(memory);
}

StagingRing::~StagingRing() {
  if (base_ != nullptr && card_.try_use()) card_.driver.free_host(base_);
}

}  // namespace lutra::cuda
