// Which devices exist, and which logical devices initialisation creates. Their settings: device_config.cpp.
#include "device/device_registry.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdlib>

#include "core/error.h"

namespace lutra {
namespace {

std::string_view trimmed(std::string_view word) {
  std::size_t begin = word.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return word.substr(begin, word.find_last_not_of(" \t") - begin + 1);
}

// The value that the two variables force, if any. Adds a warning for a value that is neither true nor false.
// TensorFlow's variable is ignored if there are no GPUs: it may be meant for another program.
std::optional<bool> forced_growth(bool has_gpus, std::string_view configured, std::vector<std::string>* warnings) {
  constexpr std::string_view kTheirs = "TF_FORCE_GPU_ALLOW_GROWTH";
  for (const char* variable : {"LUTRA_FORCE_GPU_ALLOW_GROWTH", kTheirs.data()}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || (!has_gpus && variable == kTheirs)) continue;
    if (std::string_view(value) == "true") return true;
    if (std::string_view(value) == "false") return false;
    std::string quoted = quoted_name(value);
    quoted.front() = quoted.back() = '"';
    warnings->push_back(text("The ", variable, " environment variable is set but could not be parsed: ", quoted,
                             ". Valid values are \"true\" or \"false\". Using original config value of ", configured,
                             "."));
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> pick_visible(std::string_view variable, int count) {
  std::vector<int> picked;
  std::vector<bool> taken(static_cast<std::size_t>(std::max(count, 0)));
  while (true) {
    std::size_t comma = variable.find(',');
    std::string_view entry = trimmed(variable.substr(0, comma));
    int index = -1;
    auto [end, problem] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    bool valid = problem == std::errc() && end == entry.data() + entry.size() && index >= 0 && index < count;
    if (!valid) return picked;
    if (taken[static_cast<std::size_t>(index)]) return {};
    taken[static_cast<std::size_t>(index)] = true;
    picked.push_back(index);
    if (comma == std::string_view::npos) return picked;
    variable.remove_prefix(comma + 1);
  }
}

GpuSource picked_cards(int count, std::function<std::unique_ptr<Device>(int number, int hardware_index)> make) {
  return [count, make = std::move(make)] {
    std::vector<int> indices;
    if (const char* variable = std::getenv("CUDA_VISIBLE_DEVICES")) {
      indices = pick_visible(variable, count);
    } else {
      for (int index = 0; index < count; ++index) indices.push_back(index);
    }
    std::vector<std::unique_ptr<Device>> cards;
    for (int index : indices) cards.push_back(make(static_cast<int>(cards.size()), index));
    return cards;
  };
}

DeviceRegistry::DeviceRegistry(std::unique_ptr<Device> cpu) {
  physical_[static_cast<int>(DeviceType::CPU)].push_back(std::move(cpu));
}

void DeviceRegistry::set_gpu_source(GpuSource source) {
  require_thawed("Physical devices cannot be modified after being initialized");
  auto& gpus = physical_[static_cast<int>(DeviceType::GPU)];
  for (std::unique_ptr<Device>& gpu : gpus) {
    settings_.erase(gpu.get());
    retired_.push_back(std::move(gpu));
  }
  gpus.clear();
  visible_[static_cast<int>(DeviceType::GPU)].reset();
  gpu_source_ = std::move(source);
  gpus_known_ = false;
}

const std::vector<std::unique_ptr<Device>>& DeviceRegistry::physical(DeviceType type) {
  auto& devices = physical_[static_cast<int>(type)];
  if (type == DeviceType::GPU && !gpus_known_) {
    if (gpu_source_) devices = gpu_source_();
    gpus_known_ = true;
    for (std::size_t i = 0; i < devices.size(); ++i) assert(devices[i]->number() == static_cast<int>(i));
  }
  return devices;
}

std::vector<Device*> DeviceRegistry::list_physical(std::optional<DeviceType> type) {
  std::vector<Device*> list;
  for (DeviceType each : {DeviceType::CPU, DeviceType::GPU}) {
    if (type.value_or(each) != each) continue;
    for (const std::unique_ptr<Device>& device : physical(each)) list.push_back(device.get());
  }
  return list;
}

Device& DeviceRegistry::find_physical(std::string_view name) {
  constexpr std::string_view kPrefix = "/physical_device:";
  DeviceSpec spec;
  try {
    spec = name.starts_with(kPrefix) ? DeviceSpec::parse(text("/device:", name.substr(kPrefix.size())))
                                     : DeviceSpec::parse(name);
  } catch (const Error&) {
    // Malformed: reported below as unknown.
  }
  bool exact = spec.job.empty() && spec.replica < 0 && spec.task < 0 && spec.index >= 0;
  for (DeviceType type : {DeviceType::CPU, DeviceType::GPU}) {
    if (!exact || spec.device_type != lutra::name(type)) continue;
    const auto& devices = physical(type);
    if (static_cast<std::size_t>(spec.index) < devices.size()) return *devices[static_cast<std::size_t>(spec.index)];
  }
  std::string here;
  for (Device* device : list_physical()) here += text(here.empty() ? "" : ", ", device->name());
  fail(ErrorCode::InvalidArgument, "Unrecognized device: ", quoted_name(name), ". Here: ", here);
}

std::vector<Device*> DeviceRegistry::visible(std::optional<DeviceType> type) {
  std::vector<Device*> list;
  for (DeviceType each : {DeviceType::CPU, DeviceType::GPU}) {
    if (type.value_or(each) != each) continue;
    const auto& chosen = visible_[static_cast<int>(each)];
    std::vector<Device*> devices = chosen ? *chosen : list_physical(each);
    list.insert(list.end(), devices.begin(), devices.end());
  }
  return list;
}

void DeviceRegistry::plan_device(Device& device, int* next_index, std::vector<LogicalDevicePlan>* plans) {
  const Settings& said = settings(device);
  LogicalDevicePlan plan;
  plan.physical = &device;
  plan.growth = said.growth.value_or(false);
  plan.memory_fraction = said.memory_fraction;
  if (said.cpu_limit_mb) plan.limit_bytes = whole_bytes(*said.cpu_limit_mb);
  std::vector<LogicalDeviceConfig> entries = said.logical.value_or(std::vector<LogicalDeviceConfig>());
  if (entries.empty()) entries.emplace_back();
  for (const LogicalDeviceConfig& entry : entries) {
    plan.spec = DeviceSpec::complete(device.type(), (*next_index)++, job_, task_);
    if (entry.memory_limit_mb) plan.limit_bytes = whole_bytes(*entry.memory_limit_mb);
    plans->push_back(plan);
  }
}

void DeviceRegistry::force_growth(std::vector<LogicalDevicePlan>* plans) {
  bool any_on = false, any_off = false;
  for (const LogicalDevicePlan& plan : *plans) {
    if (plan.physical->type() == DeviceType::GPU) (plan.growth ? any_on : any_off) = true;
  }
  std::optional<bool> forced = forced_growth(any_on || any_off,
                                             any_on && any_off ? "each GPU"
                                             : any_on          ? "true"
                                                               : "false",
                                             &warnings_);
  if (!forced) return;
  for (LogicalDevicePlan& plan : *plans) {
    if (plan.physical->type() == DeviceType::GPU) plan.growth = *forced;
  }
}

void DeviceRegistry::set_task(std::string job, int task) {
  require_thawed("The task of this process cannot be set after its devices are initialised");
  job_ = std::move(job);
  task_ = task;
}

std::vector<std::string> DeviceRegistry::open_gpus() {
  closed_.clear();
  std::vector<std::string> left_out;
  for (Device* device : visible(DeviceType::GPU)) {
    std::string why = device->open();
    if (why.empty()) continue;
    closed_.insert(device);
    left_out.push_back(text(device->name(), " is left out: ", why));
  }
  return left_out;
}

std::vector<LogicalDevicePlan> DeviceRegistry::plan() {
  warnings_.clear();
  std::vector<LogicalDevicePlan> plans;
  for (DeviceType type : {DeviceType::CPU, DeviceType::GPU}) {
    int next_index = 0;
    for (Device* device : visible(type)) {
      if (closed_.count(device) == 0) plan_device(*device, &next_index, &plans);
    }
  }
  force_growth(&plans);
  return plans;
}

}  // namespace lutra
