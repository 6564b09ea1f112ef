// The devices of one Runtime: those of the machine (physical), those it may use (visible), and the logical devices that
// each is divided into. It holds lutra.config's settings of devices, memory and threads. Initialisation freezes it;
// from then on the setters fail. It creates no logical devices: plan() says which to create. Every setter checks its
// arguments first, then accepts a value that changes nothing, then refuses if frozen. Messages are TensorFlow's where
// it has one. Not thread-safe: the Runtime's caller synchronises.
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

// One logical device for initialisation to create.
struct LogicalDevicePlan {
  DeviceSpec spec;
  Device* physical = nullptr;
  // Unset: the default. For the CPU: the limit of all logical CPUs together, because they share one pool.
  std::optional<std::size_t> limit_bytes;
  bool growth = false;
  double memory_fraction = 0;  // of the card's total; 0: not set
};

// Discovers GPUs and numbers them from 0 in order.
using GpuSource = std::function<std::vector<std::unique_ptr<Device>>()>;

// The hardware indices in [0, count) that this value of CUDA_VISIBLE_DEVICES shows, in its order. As in CUDA, the list
// ends at its first invalid entry, and a repeated index hides all GPUs.
std::vector<int> pick_visible(std::string_view variable, int count);

// Discovers those of `count` cards that CUDA_VISIBLE_DEVICES shows at the time of discovery.
GpuSource picked_cards(int count, std::function<std::unique_ptr<Device>(int number, int hardware_index)> make);

class DeviceRegistry {
 public:
  // `cpu` always exists. Without a source there are no GPUs.
  explicit DeviceRegistry(std::unique_ptr<Device> cpu);

  // Replaces the GPUs. They are discovered at the first query about GPUs. Settings of earlier GPUs are dropped, but
  // their Devices live as long as the registry.
  void set_gpu_source(GpuSource source);

  const std::vector<std::unique_ptr<Device>>& physical(DeviceType type);
  // CPUs first, then GPUs by number; both when no type is given.
  std::vector<Device*> list_physical(std::optional<DeviceType> type = std::nullopt);
  // Takes "/physical_device:GPU:0", or only a type and a number ("GPU:0", "/device:gpu:0"). The error (InvalidArgument)
  // lists the devices that exist.
  Device& find_physical(std::string_view name);

  // Without a type the list replaces the visible devices of every type. Order and repetitions do not matter.
  void set_visible(const std::vector<Device*>& devices, std::optional<DeviceType> type = std::nullopt);
  std::vector<Device*> visible(std::optional<DeviceType> type = std::nullopt);

  void set_memory_growth(Device& device, bool on);
  // Empty until set.
  std::optional<bool> memory_growth(Device& device);

  // For a GPU, an empty list sets the default: one logical device.
  void set_logical_configuration(Device& device, std::vector<LogicalDeviceConfig> entries);
  // Empty until set. Valid until the next change.
  const std::optional<std::vector<LogicalDeviceConfig>>& logical_configuration(Device& device);

  // The fraction of a GPU's total memory to use. It and a limit in MB exclude each other.
  void set_memory_fraction(Device& device, double fraction);
  // The limit of all logical CPUs together. Fails for a GPU, whose limit is in its logical configuration.
  void set_memory_limit(Device& device, double limit_mb);

  // 0: a share of the threads this process may use (core/parallel.h). ResourceExhausted if the system refuses that
  // many.
  void set_intra_op_threads(int threads);
  int intra_op_threads() const { return intra_op_threads_; }

  // The job and the task that this process' devices are named after, instead of localhost and 0. Names of job localhost
  // mean them as well. Only before initialisation.
  void set_task(std::string job, int task);
  const std::string& job() const { return job_; }
  int task() const { return task_; }

  // Opens the visible GPUs. plan() leaves out those that cannot be used until thaw(), so that they do not block the
  // others. Returns a message for each of them.
  std::vector<std::string> open_gpus();

  // What initialisation creates: CPUs, then GPUs, each type numbered from 0 over the visible devices.
  std::vector<LogicalDevicePlan> plan();
  // Problems with environment variables that the last plan() found, for the log.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // `by` is the script line that initialised the devices, "train.lua:7"; may be empty.
  void freeze(std::string_view by);
  bool frozen() const { return frozen_; }
  // Back to the initial state, for reset(): all settings are dropped. The source and its GPUs stay.
  void thaw();

 private:
  struct Settings {
    std::optional<bool> growth;
    std::optional<std::vector<LogicalDeviceConfig>> logical;
    double memory_fraction = 0;
    std::optional<double> cpu_limit_mb;
  };

  Settings& settings(Device& device);
  // Fails (InvalidArgument) if the device does not belong to this registry, or no longer does.
  void require_here(const Device& device) const;
  // Fails (FailedPrecondition) if frozen, with `text` as the first line.
  void require_thawed(std::string_view text) const;
  void plan_device(Device& device, int* next_index, std::vector<LogicalDevicePlan>* plans);
  void force_growth(std::vector<LogicalDevicePlan>* plans);

  std::vector<std::unique_ptr<Device>> physical_[kDeviceTypes];
  std::vector<std::unique_ptr<Device>> retired_;
  GpuSource gpu_source_;
  bool gpus_known_ = false;
  std::optional<std::vector<Device*>> visible_[kDeviceTypes];  // unset: all
  std::map<const Device*, Settings> settings_;
  std::set<const Device*> closed_;  // could not be opened by open_gpus
  int intra_op_threads_ = 0;
  std::string job_ = "localhost";
  int task_ = 0;
  bool frozen_ = false;
  std::string frozen_by_;
  std::vector<std::string> warnings_;
};

}  // namespace lutra
