// Where a kernel on a card reports an invalid value: a slot of pinned memory that card and host both see. When the
// launch has run, the stream passes the slot's content to the launch's record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/cuda/card.h"

namespace lutra::cuda {

// Written by kernels (kernels/cuda/launch.h): the first one changes `code` from 0 to a FaultCode and then sets the
// others.
struct FaultSlot {
  uint32_t code;
  uint32_t reserved;
  int64_t value;
  int64_t limit;
};

class FaultSlots {
 public:
  explicit FaultSlots(Card& card) : card_(card) {}
  ~FaultSlots();
  FaultSlots(const FaultSlots&) = delete;

  FaultSlot* take();
  void give_back(FaultSlot* slot);

 private:
  static constexpr std::size_t kSlotsAtOnce = 256;
  Card& card_;
  std::vector<void*> blocks_;
  std::vector<FaultSlot*> free_;
};

}  // namespace lutra::cuda
