// One physical device of the machine, a card or the CPU: /physical_device:GPU:0. It provides memory and streams. Ops
// run on logical devices (eager/logical_device.h), each of which is a whole physical device or a slice of one. A new
// backend overrides these functions and nothing else.
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

// How fast a device can be at most; 0: not known.
struct DeviceSpeed {
  double gflops = 0;  // operations on float32
  double gbps = 0;    // bytes of its memory
};

class Device {
 public:
  Device(DeviceType type, int number) : type_(type), number_(number) {}
  virtual ~Device() = default;

  DeviceType type() const { return type_; }
  int number() const { return number_; }
  // "/physical_device:GPU:0"
  std::string name() const;

  // optional: prepares the device for ops; the first op waits for this. Returns why the device cannot be used, "" if it
  // can.
  virtual std::string open() { return ""; }
  virtual MemoryInfo memory() const = 0;
  // optional: a program's memory limit on the card by default.
  virtual std::size_t usual_limit_bytes() const { return memory().total_bytes; }
  // The card's memory, shared by all logical devices on it. Null for the CPU, whose memory the HostPool manages.
  virtual PageSource* pages() { return nullptr; }
  // optional: the default runs each command at once on the caller's thread.
  virtual std::unique_ptr<Stream> new_stream() { return std::make_unique<InlineStream>(); }
  // optional: the other process that has the device, as the remote back end knows it; null: this one.
  virtual const void* process() const { return nullptr; }
  // optional: whether commands of this device may read the other's memory directly.
  virtual bool reads_memory_of(const Device&) const { return false; }
  // optional: by its data sheet, or as it is simulated.
  virtual DeviceSpeed speed() const { return {}; }
  // optional: what get_device_details returns, such as {"device_name", "..."}.
  virtual std::vector<std::pair<std::string, std::string>> details() const { return {}; }

 private:
  DeviceType type_;
  int number_;
};

}  // namespace lutra
