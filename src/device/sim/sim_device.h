// A simulated card: host memory with a size limit and queues, so that programs for several GPUs run on any machine and
// show the same errors as on real GPUs.
#pragma once

#include <memory>

#include "device/device.h"
#include "device/sim/schedule.h"
#include "device/sim/sim_stream.h"

namespace lutra {

class SimDevice final : public Device {
 public:
  // Devices that exchange data share one schedule; null: real threads. Schedule::from_environment() gives the one that
  // is set.
  SimDevice(int number, const SimOptions& options, std::shared_ptr<Schedule> schedule);

  const SimOptions& options() const { return options_; }
  MemoryInfo memory() const override;
  PageSource* pages() override { return &pages_; }
  std::unique_ptr<Stream> new_stream() override;
  // All memory is the host's. If links have a speed, reading is refused, so that a copy takes its simulated time.
  bool reads_memory_of(const Device& other) const override;
  DeviceSpeed speed() const override { return {options_.gflops, options_.gbps}; }
  std::vector<std::pair<std::string, std::string>> details() const override;

 private:
  SimOptions options_;
  std::shared_ptr<Schedule> schedule_;
  HostPages pages_;
};

}  // namespace lutra
