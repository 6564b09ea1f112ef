#include "device/cuda/fault_slots.h"

#include <new>

namespace lutra::cuda {

FaultSlot* FaultSlots::take() {
  if (free_.empty()) {
    blocks_.reserve(blocks_.size() + 1);
    free_.reserve(kSlotsAtOnce * (blocks_.size() + 1));
    void* block = nullptr;
    card_.require(card_.driver.allocate_host(&block, kSlotsAtOnce * sizeof(FaultSlot), kHostPortable | kHostMapped),
                  "cuMemHostAlloc");
    blocks_.push_back(block);
    FaultSlot* slots = static_cast<FaultSlot*>(block);
    for (std::size_t i = kSlotsAtOnce; i-- > 0;) free_.push_back(new (slots + i) FaultSlot{});
  }
  FaultSlot* slot = free_.back();
  free_.pop_back();
  return slot;
}

void FaultSlots::give_back(FaultSlot* slot) {
  *slot = {};
  free_.push_back(slot);
}

FaultSlots::~FaultSlots() {
  if (!card_.try_use()) return;
  for (void* block : blocks_) card_.driver.free_host(block);
}

}  // namespace lutra::cuda
