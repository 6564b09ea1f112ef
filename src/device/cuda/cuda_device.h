// One of NVIDIA's cards, and how the machine's cards are found.
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
  // If the card gives no context, no memory is free.
  MemoryInfo memory() const override;
  // Nearly all free memory.
  std::size_t usual_limit_bytes() const override;
  PageSource* pages() override { return pages_.get(); }
  std::unique_ptr<Stream> new_stream() override;
  DeviceSpeed speed() const override;
  std::vector<std::pair<std::string, std::string>> details() const override;

 private:
  std::shared_ptr<Card> card_;
  std::unique_ptr<PageSource> pages_;
};

struct Discovery {
  std::vector<std::unique_ptr<Device>> devices;
  std::string why_none;              // a message; empty if there are devices
  std::vector<std::string> ignored;  // a message for each card present that no kernel runs on
};

// The driver's library to open: LUTRA_CUDA_DRIVER, else NVIDIA's. Returns "" and sets *why if the system has no such
// driver; finding that out costs three file lookups.
std::string driver_library(std::string* why);

// The cards that the driver shows and that can run code for these architectures (architectures.h) from that toolkit (0:
// not known), numbered in the driver's order, which is that of CUDA_VISIBLE_DEVICES. The log, if there is one, gets
// warnings about features that the cards have to do without.
Discovery discover(const Driver& driver, const std::string& architectures, int toolkit_version = 0,
                   const Log* log = nullptr);

}  // namespace lutra::cuda
