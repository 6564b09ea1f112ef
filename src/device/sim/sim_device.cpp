#include "device/sim/sim_device.h"

#include <utility>

#include "core/text.h"

namespace lutra {

SimDevice::SimDevice(int number, const SimOptions& options, std::shared_ptr<Schedule> schedule)
    : Device(DeviceType::GPU, number),
      options_(options),
      schedule_(std::move(schedule)),
      pages_(static_cast<std::size_t>(options.memory_limit_mb * 1024 * 1024)) {}

MemoryInfo SimDevice::memory() const {
  return {pages_.capacity_bytes(), pages_.capacity_bytes() - pages_.mapped_bytes()};
}

std::unique_ptr<Stream> SimDevice::new_stream() { return std::make_unique<SimStream>(options_, schedule_); }

bool SimDevice::reads_memory_of(const Device& other) const {
  const auto* simulated = dynamic_cast<const SimDevice*>(&other);
  return simulated != nullptr && options_.link_gbps == 0 && options_.link_latency_us == 0;
}

std::vector<std::pair<std::string, std::string>> SimDevice::details() const {
  // As a card that supports all that scripts ask for: bfloat16 and tf32 need 8.0.
  std::vector<std::pair<std::string, std::string>> all{{"device_name", "Simulated GPU"}, {"compute_capability", "8.0"}};
  auto add = [&](const char* name, double value) {
    if (value > 0) all.emplace_back(name, text(value));
  };
  add("gflops", options_.gflops);
  add("gbps", options_.gbps);
  add("link_gbps", options_.link_gbps);
  add("link_latency_us", options_.link_latency_us);
  return all;
}

}  // namespace lutra
