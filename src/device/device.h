// One card or the CPU, as the machine has it: /physical_device:GPU:0. It gives memory and streams; a logical device
// (the thing ops run on: eager/logical_device.h) is all of it or a slice. A new backend overrides these functions and
// nothing else.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device_spec.h"
#include "device/page_source.h"
#include "device/stream.h"

namespace lutra {

struct MemoryInfo {
  std::size_t total_bytes = 0;
  std::size_t free_bytes = 0;
};

class Device {
 public:
  Device(DeviceType type, int number) : type_(type), number_(number) {}
  virtual ~Device() = default;

  DeviceType type() const { return type_; }
  int number() const { return number_; }
  // "/physical_device:GPU:0"
  std::string name() const;

  // optional: gets it ready for ops, which the first of them waits for. Why it cannot be used, empty when it can.
  virtual std::string open() { return ""; }
  virtual MemoryInfo memory() const = 0;
  // optional: what one program takes of the card when nobody says how much.
  virtual std::size_t usual_limit_bytes() const { return memory().total_bytes; }
  // The card's memory, shared by all logical devices on it. The CPU's is the HostPool's business: null there.
  virtual PageSource* pages() { return nullptr; }
  // optional: the default runs everything at once on the caller's thread.
  virtual std::unique_ptr<Stream> new_stream() { return std::make_unique<InlineStream>(); }
  // optional: whether commands of this device may read the other's memory where it lies.
  virtual bool reads_memory_of(const Device&) const { return false; }
  // optional: what get_device_details tells, e.g. {"device_name", "..."}.
  virtual std::vector<std::pair<std::string, std::string>> details() const { return {}; }

 private:
  DeviceType type_;
  int number_;
};

}  // namespace lutra
