// A card that is not there: host memory with a size of its own, and queues of its own, so that what is written for
// several GPUs runs, and goes wrong, on any machine as it would on them.
#pragma once

#include <memory>

#include "device/device.h"
#include "device/sim/schedule.h"
#include "device/sim/sim_stream.h"

namespace lutra {

class SimDevice final : public Device {
 public:
  // Devices that exchange data share one schedule; null: real threads. Schedule::from_environment() says what is
  // wanted.
  SimDevice(int number, const SimOptions& options, std::shared_ptr<Schedule> schedule);

  MemoryInfo memory() const override;
  PageSource* pages() override { return &pages_; }
  std::unique_ptr<Stream> new_stream() override;
  // All of it is the host's; where a link has a speed, what crosses it takes its time.
  bool reads_memory_of(const Device& other) const override;
  std::vector<std::pair<std::string, std::string>> details() const override;

 private:
  SimOptions options_;
  std::shared_ptr<Schedule> schedule_;
  HostPages pages_;
};

}  // namespace lutra
