// lutra.config's settings of devices, memory and threads. Which devices exist: device_registry.cpp.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "core/usable_cores.h"
#include "device/device_registry.h"

namespace lutra {
namespace {

constexpr double kBytesPerMB = 1 << 20;
// Logical devices have 16-bit numbers that are never reused.
constexpr std::size_t kMostEntries = 256;

constexpr const char* kVisibleFrozen = "Visible devices cannot be modified after being initialized";
constexpr const char* kPhysicalFrozen = "Physical devices cannot be modified after being initialized";
constexpr const char* kVirtualFrozen = "Virtual devices cannot be modified after being initialized";
constexpr const char* kThreadsFrozen = "Intra op parallelism cannot be modified after initialization.";
constexpr const char* kNoCpu = "No CPU devices are available in this process";
constexpr const char* kFractionWithLimit =
    "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.";

// As TensorFlow prints a physical device.
std::string shown(const Device& device) {
  return text("PhysicalDevice(name='", device.name(), "', device_type='", name(device.type()), "')");
}

std::string megabytes(double mb) { return std::isnan(mb) ? "nan MB" : text(mb, " MB"); }

// Fails (InvalidArgument) unless `limit_mb` is a possible limit of `device`. A CPU limit above the memory would have no
// effect: the system would end the process before ResourceExhausted is raised.
void check_limit(const Device& device, double limit_mb, const char* who = "") {
  require(!std::isnan(limit_mb) && limit_mb * kBytesPerMB >= 1, who, "memory_limit is ", megabytes(limit_mb), "; ",
          device.name(), " needs one above 0, of at least a byte");
  auto total = static_cast<double>(device.memory().total_bytes);
  require(std::floor(limit_mb * kBytesPerMB) <= total, who, "memory_limit is ", megabytes(limit_mb), ", more than the ",
          megabytes(total / kBytesPerMB), " of ", device.name(),
          device.type() == DeviceType::CPU ? " (RAM, or the control group's limit)" : "");
}

// Fails (InvalidArgument) unless `limit_mb` holds at least one page of the card: with less, no tensor fits.
void check_page(Device& device, double limit_mb) {
  std::size_t page = device.pages() == nullptr ? 0 : device.pages()->granularity();
  require(whole_bytes(limit_mb) >= page, "memory_limit is ", megabytes(limit_mb), "; ", device.name(),
          " gives memory in pages of ", megabytes(static_cast<double>(page) / kBytesPerMB), ", and needs one at least");
}

bool has_limit(const std::vector<LogicalDeviceConfig>& entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const LogicalDeviceConfig& entry) { return entry.memory_limit_mb.has_value(); });
}

void check_cpu_entries(const std::vector<LogicalDeviceConfig>& entries) {
  require(!entries.empty(), kNoCpu, "; an entry {} makes one");
  for (const LogicalDeviceConfig& entry : entries) {
    require(!entry.memory_limit_mb, "Setting memory limit on CPU virtual devices is currently not supported; ",
            "lutra.config.set_memory_limit(\"CPU:0\", MB) limits all of them together");
  }
}

void check_gpu_entries(Device& device, const std::vector<LogicalDeviceConfig>& entries) {
  std::size_t total = device.memory().total_bytes;
  std::size_t sum = 0;  // in whole bytes, so that a third of the card fits three times
  for (const LogicalDeviceConfig& entry : entries) {
    require(entry.memory_limit_mb || entries.size() == 1, "Setting memory limit is required for GPU virtual devices");
    if (!entry.memory_limit_mb) continue;
    check_limit(device, *entry.memory_limit_mb);
    check_page(device, *entry.memory_limit_mb);
    sum += whole_bytes(*entry.memory_limit_mb);
  }
  require(sum <= total, "the memory limits of ", device.name(), " add up to ",
          megabytes(static_cast<double>(sum) / kBytesPerMB), ", more than the ",
          megabytes(static_cast<double>(total) / kBytesPerMB), " it has");
}

}  // namespace

std::size_t whole_bytes(double megabytes) { return static_cast<std::size_t>(megabytes * kBytesPerMB); }

void DeviceRegistry::require_here(const Device& device) const {
  for (const auto& devices : physical_) {
    for (const std::unique_ptr<Device>& each : devices) {
      if (each.get() == &device) return;
    }
  }
  fail(ErrorCode::InvalidArgument, "Unrecognized device: ", shown(device),
       " is no device of this runtime, or no longer one");
}

DeviceRegistry::Settings& DeviceRegistry::settings(Device& device) {
  require_here(device);
  return settings_[&device];
}

void DeviceRegistry::require_thawed(std::string_view text) const {
  if (!frozen_) return;
  fail(ErrorCode::FailedPrecondition, text, "\nThey were initialised",
       frozen_by_.empty() ? std::string() : lutra::text(" by ", frozen_by_), "; lutra.config.reset() starts over");
}

void DeviceRegistry::set_visible(const std::vector<Device*>& devices, std::optional<DeviceType> type) {
  for (Device* device : devices) {
    require_here(*device);
    require(type.value_or(device->type()) == device->type(), "Unrecognized device: ", shown(*device), " is no ",
            lutra::name(type.value_or(device->type())));
  }
  // Each type's devices in physical order. A type that the call does not change stays empty here.
  std::vector<Device*> chosen[kDeviceTypes];
  for (int t = 0; t < kDeviceTypes; ++t) {
    for (const std::unique_ptr<Device>& device : physical_[t]) {
      if (std::find(devices.begin(), devices.end(), device.get()) != devices.end()) chosen[t].push_back(device.get());
    }
  }
  bool names_cpus = type.value_or(DeviceType::CPU) == DeviceType::CPU;
  require(!names_cpus || !chosen[static_cast<int>(DeviceType::CPU)].empty(), kNoCpu,
          "; add one to the list, or give the type: set_visible_devices(gpus, \"GPU\")");
  if (frozen_) {
    bool same = true;
    for (DeviceType each : {DeviceType::CPU, DeviceType::GPU}) {
      same = same && (type.value_or(each) != each || visible(each) == chosen[static_cast<int>(each)]);
    }
    if (same) return;
    require_thawed(kVisibleFrozen);
  }
  for (DeviceType each : {DeviceType::CPU, DeviceType::GPU}) {
    if (type.value_or(each) == each) visible_[static_cast<int>(each)] = std::move(chosen[static_cast<int>(each)]);
  }
}

void DeviceRegistry::set_memory_growth(Device& device, bool on) {
  Settings& said = settings(device);
  require(device.type() == DeviceType::GPU, "Cannot set memory growth on non-GPU and non-Pluggable devices");
  if (said.growth == on) return;
  require_thawed(kPhysicalFrozen);
  said.growth = on;
}

std::optional<bool> DeviceRegistry::memory_growth(Device& device) { return settings(device).growth; }

void DeviceRegistry::set_logical_configuration(Device& device, std::vector<LogicalDeviceConfig> entries) {
  Settings& said = settings(device);
  require(entries.size() <= kMostEntries, entries.size(), " logical devices on ", device.name(), "; at most ",
          kMostEntries, " fit");
  if (device.type() == DeviceType::CPU) {
    check_cpu_entries(entries);
  } else {
    check_gpu_entries(device, entries);
    require(said.memory_fraction == 0 || !has_limit(entries), kFractionWithLimit, " ", device.name(),
            " has a fraction of ", said.memory_fraction, "; lutra.config.reset() takes it back");
  }
  if (said.logical == entries) return;
  require_thawed(kVirtualFrozen);
  said.logical = std::move(entries);
}

const std::optional<std::vector<LogicalDeviceConfig>>& DeviceRegistry::logical_configuration(Device& device) {
  return settings(device).logical;
}

void DeviceRegistry::set_memory_fraction(Device& device, double fraction) {
  Settings& said = settings(device);
  require(device.type() == DeviceType::GPU, "set_per_process_memory_fraction: ", device.name(),
          " is no GPU; lutra.config.set_memory_limit(\"CPU:0\", MB) limits the CPU");
  require(fraction > 0 && fraction <= 1, "set_per_process_memory_fraction: the fraction is ",
          std::isnan(fraction) ? "nan" : text(fraction), "; it must be above 0 and at most 1");
  require(!said.logical || !has_limit(*said.logical), kFractionWithLimit, " ", device.name(),
          " has a memory_limit; lutra.config.set_logical_device_configuration(device, {}) takes it back");
  if (said.memory_fraction == fraction) return;
  require_thawed(kPhysicalFrozen);
  said.memory_fraction = fraction;
}

void DeviceRegistry::set_memory_limit(Device& device, double limit_mb) {
  Settings& said = settings(device);
  require(device.type() == DeviceType::CPU, "set_memory_limit: ", device.name(),
          " is no CPU; lutra.config.set_logical_device_configuration(device, { {memory_limit = MB} }) limits a GPU");
  check_limit(device, limit_mb, "set_memory_limit: ");
  if (said.cpu_limit_mb == limit_mb) return;
  require_thawed(kPhysicalFrozen);
  said.cpu_limit_mb = limit_mb;
}

void DeviceRegistry::set_intra_op_threads(int threads) {
  require(threads >= 0 && threads <= kMostThreads, "set_intra_op_parallelism_threads: ", threads,
          " threads; it must be 0 (as many as the machine offers) to ", kMostThreads);
  if (threads == intra_op_threads_) return;
  require_thawed(kThreadsFrozen);
  if (threads > 1) {
    int given = 1 + obtainable_threads(threads - 1);
    if (given < threads) {
      fail(ErrorCode::ResourceExhausted, "set_intra_op_parallelism_threads: ", threads,
           " threads, and the system gives this process ", given,
           "; ask for fewer, or raise its limit (ulimit -u and -v, pids.max of the control group)");
    }
  }
  intra_op_threads_ = threads;
}

void DeviceRegistry::freeze(std::string_view by) {
  frozen_ = true;
  frozen_by_ = by;
}

void DeviceRegistry::thaw() {
  frozen_ = false;
  frozen_by_.clear();
  for (auto& chosen : visible_) chosen.reset();
  settings_.clear();
  closed_.clear();
  intra_op_threads_ = 0;
  warnings_.clear();
}

}  // namespace lutra
