// A card of NVIDIA's, and how those of the machine are found.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/card.h"
#include "device/device.h"

namespace lutra::cuda {

class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<Card> card);

  std::string open() override { return card_->open() ? std::string() : card_->why_closed(); }
  // Of a card that gives no context nothing is free.
  MemoryInfo memory() const override;
  // Nearly all that is free.
  std::size_t usual_limit_bytes() const override;
  PageSource* pages() override { return pages_.get(); }
  std::unique_ptr<Stream> new_stream() override;
  std::vector<std::pair<std::string, std::string>> details() const override;

 private:
  std::shared_ptr<Card> card_;
  std::unique_ptr<PageSource> pages_;
};

struct Discovery {
  std::vector<std::unique_ptr<Device>> devices;
  std::string why_none;              // a sentence; empty when there are some
  std::vector<std::string> ignored;  // a sentence for each card that is there and that no kernel runs on
};

// The driver's library that is to be opened: what LUTRA_CUDA_DRIVER says, else NVIDIA's. Empty, and why, where the
// system has no such driver, which costs a look at three files.
std::string driver_library(std::string* why);

// The cards that the driver shows and that code for these architectures (architectures.h), made by that toolkit (0: not
// known), runs on, numbered in the driver's order, which is that of CUDA_VISIBLE_DEVICES. The log, if there is one,
// hears of what the cards do without while they are used.
Discovery discover(const Driver& driver, const std::string& architectures, int toolkit_version = 0,
                   const Log* log = nullptr);

}  // namespace lutra::cuda
