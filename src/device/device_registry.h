// What one Runtime computes on: the machine's devices (physical), those it may use (visible), and how each is cut into
// the devices ops run on (logical). It holds what lutra.config was told of devices, memory and threads until
// initialisation; from then on it is frozen, and every setter says so. It creates no logical device: plan() says which.
// Every setter checks its arguments first, then lets pass what changes nothing, then refuses if frozen.
// Texts are TensorFlow's where it has one. Not shared between threads: the Runtime's caller sees to that.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lutra {

// One entry of set_logical_device_configuration.
struct LogicalDeviceConfig {
  std::optional<double> memory_limit_mb;  // MB are 2^20 bytes
  bool operator==(const LogicalDeviceConfig&) const = default;
};

// Rounded down.
std::size_t whole_bytes(double megabytes);

// One logical device that initialisation is to create.
struct LogicalDevicePlan {
  DeviceSpec spec;
  Device* physical = nullptr;
  // Unset: the default. On the CPU it is the limit of all logical CPUs together, which share one pool.
  std::optional<std::size_t> limit_bytes;
  bool growth = false;
  double memory_fraction = 0;  // of the card's total; 0: not said
};

// Discovers GPUs, numbered from 0 in their order.
using GpuSource = std::function<std::vector<std::unique_ptr<Device>>()>;

// The hardware indices, out of 0 to count - 1, that a CUDA_VISIBLE_DEVICES of this value shows, in its order. As CUDA
// reads it: the list ends at its first invalid entry, and an index that stands twice hides all GPUs.
std::vector<int> pick_visible(std::string_view variable, int count);

// Discovers those of `count` cards that the environment's CUDA_VISIBLE_DEVICES shows when it is asked.
GpuSource picked_cards(int count, std::function<std::unique_ptr<Device>(int number, int hardware_index)> make);

class DeviceRegistry {
 public:
  // `cpu` is always there; without a source there are no GPUs.
  explicit DeviceRegistry(std::unique_ptr<Device> cpu);

  // The GPUs from now on. They are discovered by the first question about GPUs; what was said of earlier ones is
  // forgotten, but their Devices live as long as the registry.
  void set_gpu_source(GpuSource source);

  const std::vector<std::unique_ptr<Device>>& physical(DeviceType type);
  // CPUs first, then GPUs by number; both when no type is given.
  std::vector<Device*> list_physical(std::optional<DeviceType> type = std::nullopt);
  // "/physical_device:GPU:0", or a device's name of type and number alone ("GPU:0", "/device:gpu:0").
  // Fails (InvalidArgument) with the devices there are.
  Device& find_physical(std::string_view name);

  // Without a type the list replaces the visible devices of every type. Order and repetitions mean nothing.
  void set_visible(const std::vector<Device*>& devices, std::optional<DeviceType> type = std::nullopt);
  std::vector<Device*> visible(std::optional<DeviceType> type = std::nullopt);

  void set_memory_growth(Device& device, bool on);
  // Empty until set.
  std::optional<bool> memory_growth(Device& device);

  // An empty list gives a GPU its default: one logical device.
  void set_logical_configuration(Device& device, std::vector<LogicalDeviceConfig> entries);
  // Empty until set. Valid until the next change.
  const std::optional<std::vector<LogicalDeviceConfig>>& logical_configuration(Device& device);

  // The part of a GPU's total memory to use; it and a limit in MB exclude each other.
  void set_memory_fraction(Device& device, double fraction);
  // The limit of all logical CPUs together. A GPU's is its configuration's: refused here.
  void set_memory_limit(Device& device, double limit_mb);

  // 0: a share of what the process may use (core/parallel.h). ResourceExhausted when the system refuses as many.
  void set_intra_op_threads(int threads);
  int intra_op_threads() const { return intra_op_threads_; }

  // Opens the visible GPUs. One that cannot be used is left out of plans until thaw(), so that it stands in no other's
  // way; a sentence for each of those.
  std::vector<std::string> open_gpus();

  // What initialisation creates: CPUs, then GPUs, each type numbered from 0 over the visible devices.
  std::vector<LogicalDevicePlan> plan();
  // What the last plan() found odd in the environment, for the log.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // `by` is the script line that initialised the devices, "train.lua:7"; may be empty.
  void freeze(std::string_view by);
  bool frozen() const { return frozen_; }
  // Back to the first state, for reset(): nothing is said of any device. The source and its GPUs stay.
  void thaw();

 private:
  struct Settings {
    std::optional<bool> growth;
    std::optional<std::vector<LogicalDeviceConfig>> logical;
    double memory_fraction = 0;
    std::optional<double> cpu_limit_mb;
  };

  Settings& settings(Device& device);
  // Fails (InvalidArgument) when the device is not this registry's, or no longer.
  void require_here(const Device& device) const;
  // Fails (FailedPrecondition) with `text` as its first line when it is too late.
  void require_thawed(std::string_view text) const;
  void plan_device(Device& device, int* next_index, std::vector<LogicalDevicePlan>* plans);
  void force_growth(std::vector<LogicalDevicePlan>* plans);

  std::vector<std::unique_ptr<Device>> physical_[kDeviceTypes];
  std::vector<std::unique_ptr<Device>> retired_;
  GpuSource gpu_source_;
  bool gpus_known_ = false;
  std::optional<std::vector<Device*>> visible_[kDeviceTypes];  // unset: all
  std::map<const Device*, Settings> settings_;
  std::set<const Device*> closed_;  // by open_gpus
  int intra_op_threads_ = 0;
  bool frozen_ = false;
  std::string frozen_by_;
  std::vector<std::string> warnings_;
};

}  // namespace lutra
