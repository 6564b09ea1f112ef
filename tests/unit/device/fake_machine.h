// A machine with cards that are only numbers, for the tests of DeviceRegistry, and short ways to say what it plans.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "device/device_registry.h"
#include "support/catch.h"

namespace lutra::test {

inline constexpr std::size_t kMB = std::size_t{1} << 20;

class FakeDevice : public Device {
 public:
  FakeDevice(DeviceType type, int number, std::size_t total_mb, int hardware_index = 0)
      : Device(type, number), hardware_index(hardware_index), total_bytes_(total_mb * kMB) {}
  std::string open() override { return why_closed; }
  MemoryInfo memory() const override { return {total_bytes_, total_bytes_}; }
  const int hardware_index;
  std::string why_closed;

 private:
  std::size_t total_bytes_;
};

class FakeGpu final : public FakeDevice {
 public:
  FakeGpu(int number, int hardware_index) : FakeDevice(DeviceType::GPU, number, 4096, hardware_index) {}
};

// A variable of the environment, set for a while; null unsets it.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    put(value);
  }
  ~Environment() { put(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;

 private:
  void put(const char* value) { value != nullptr ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

// A machine with one CPU and so many cards of 4096 MB, which sees no setting of the person who runs the tests.
struct Machine {
  explicit Machine(int gpus) { plug(gpus); }
  void plug(int gpus) {
    registry.set_gpu_source(picked_cards(gpus, [this](int number, int hardware_index) {
      ++discovered;
      return std::make_unique<FakeGpu>(number, hardware_index);
    }));
  }
  Device& cpu() { return registry.find_physical("CPU:0"); }
  Device& gpu(int number) { return registry.find_physical("GPU:" + std::to_string(number)); }

  Environment no_pick{"CUDA_VISIBLE_DEVICES", nullptr};
  Environment no_growth{"TF_FORCE_GPU_ALLOW_GROWTH", nullptr};
  Environment no_own_growth{"LUTRA_FORCE_GPU_ALLOW_GROWTH", nullptr};
  int discovered = 0;
  DeviceRegistry registry{std::make_unique<FakeDevice>(DeviceType::CPU, 0, 1024)};
};

inline std::string names(const std::vector<Device*>& devices) {
  std::string out;
  for (Device* device : devices) out += device->name().substr(std::string("/physical_device:").size()) + " ";
  return out;
}

// "GPU:0<GPU:1 1024MB" for each: logical name, physical name, limit, growth, fraction; what is not said is left out.
inline std::string planned(DeviceRegistry& registry) {
  std::string out;
  for (const LogicalDevicePlan& plan : registry.plan()) {
    CHECK(plan.spec.to_string() == "/job:localhost/replica:0/task:0" + plan.spec.local_name());
    if (!out.empty()) out += ", ";
    out += plan.spec.local_name().substr(8) + "<" + plan.physical->name().substr(17);
    if (plan.limit_bytes) out += text(" ", static_cast<double>(*plan.limit_bytes) / kMB, "MB");
    if (plan.growth) out += " growth";
    if (plan.memory_fraction != 0) out += text(" ", plan.memory_fraction);
  }
  return out;
}

// The text that `action` fails with, or "" when it does not.
template <class Action> std::string refusal(ErrorCode code, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(std::string(name(error.code())) == name(code));
    return error.message();
  }
  return "";
}
template <class Action> std::string invalid(const Action& action) {
  return refusal(ErrorCode::InvalidArgument, action);
}
template <class Action> std::string too_late(const Action& action) {
  return refusal(ErrorCode::FailedPrecondition, action);
}

inline std::vector<LogicalDeviceConfig> limits(std::initializer_list<double> mb) {
  std::vector<LogicalDeviceConfig> entries;
  for (double limit : mb) entries.push_back({limit});
  return entries;
}

}  // namespace lutra::test
