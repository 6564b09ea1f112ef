#include "device/cuda/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/text.h"
#include "device/cuda/architectures.h"
#include "device/cuda/cuda_pages.h"
#include "device/cuda/cuda_stream.h"

namespace lutra::cuda {
namespace {

std::string text_from(Result (*ask)(char*, int, DeviceHandle), DeviceHandle device) {
  char text[128] = "";
  return ask(text, sizeof text, device) == kSuccess ? std::string(text) : std::string();
}

std::unique_ptr<PageSource> pages_of(const std::shared_ptr<Card>& card) {
  if (card->attribute(kVirtualMemorySupported) != 0) return std::make_unique<CudaPages>(card);
  return std::make_unique<WholePages>(card);
}

// The memory that an arena of nearly the whole card leaves free for what is loaded later: kernels' code, handles and
// buffers of cuBLASLt, cuDNN and NCCL, local memory. TensorFlow's values (MinSystemMemory in gpu_device.cc).
std::size_t kept_back(std::size_t free_bytes, Capability capability) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  if (free_bytes < 2048 * kMiB) return 225 * kMiB;
  return (capability.major <= 6 ? 500 : capability.major == 7 ? 1050 : capability.major == 8 ? 1536 : 1800) * kMiB;
}

// Lists each card's peers: cards with access to each other's memory copy directly, without the host.
void introduce(const Driver& driver, const std::vector<std::shared_ptr<Card>>& cards) {
  for (const std::shared_ptr<Card>& card : cards) {
    for (const std::shared_ptr<Card>& other : cards) {
      int can = 0;
      if (other == card || driver.can_access_peer(&can, other->device, card->device) != kSuccess) continue;
      if (can != 0) card->peers.push_back(other->device);
    }
  }
}

// In TensorFlow's words if the card is too old: "Ignoring visible gpu device (device: 0, name: ...".
std::string ignored_text(const Card& card, int ordinal, Capability capability, const std::string& architectures,
                         int toolkit_version) {
  std::string is = text(capability.major, ".", capability.minor);
  std::string told = text("Ignoring visible gpu device (device: ", ordinal,
                          ", name: ", text_from(card.driver.device_name, card.device),
                          ", pci bus id: ", text_from(card.driver.device_bus, card.device),
                          ", compute capability: ", is, ") with Cuda compute capability ", is, ". ");
  Capability least = least_capability(architectures);
  if (runs_on(architectures, capability)) {
    append(told, only_compiled_text(card.driver.version(), toolkit_version));
  } else if (capability < least) {
    append(told, text("The minimum required Cuda capability is ", least.major, ".", least.minor, "."));
  } else {
    append(told, text("The plugin has no code for it, only for ", architectures, "."));
  }
  return told;
}

}  // namespace

CudaDevice::CudaDevice(std::shared_ptr<Card> card)
    : Device(DeviceType::GPU, card->number), card_(std::move(card)), pages_(pages_of(card_)) {}

MemoryInfo CudaDevice::memory() const {
  MemoryInfo info;
  if (card_->driver.device_memory(&info.total_bytes, card_->device) != kSuccess) return {};
  if (!card_->open()) return info;
  card_->use();
  std::size_t total = 0;
  card_->require(card_->driver.memory_info(&info.free_bytes, &total), "cuMemGetInfo");
  return info;
}

DeviceSpeed CudaDevice::speed() const {
  // Units for float32 on a multiprocessor, outside its tensor cores; the memory moves two words a clock.
  const Capability capability = card_->capability();
  const bool has_half_as_many = capability.major == 6
                                    ? capability.minor == 0
                                    : capability.major == 7 || (capability.major == 8 && capability.minor == 0);
  const double units = has_half_as_many ? 64 : 128;
  const double clock_khz = card_->attribute(kClockKHz), memory_khz = card_->attribute(kMemoryClockKHz);
  return {2 * units * card_->attribute(kMultiprocessorCount) * clock_khz / 1e6,
          2 * memory_khz * card_->attribute(kMemoryBusBits) / 8 / 1e6};
}

std::size_t CudaDevice::usual_limit_bytes() const {
  std::size_t free_bytes = memory().free_bytes, kept = kept_back(free_bytes, card_->capability());
  return free_bytes > 2 * kept ? free_bytes - kept : free_bytes / 2;
}

std::unique_ptr<Stream> CudaDevice::new_stream() { return std::make_unique<CudaStream>(card_); }

std::vector<std::pair<std::string, std::string>> CudaDevice::details() const {
  MemoryInfo info;
  card_->driver.device_memory(&info.total_bytes, card_->device);
  Capability capability = card_->capability();
  return {{"device_name", text_from(card_->driver.device_name, card_->device)},
          {"compute_capability", text(capability.major, ".", capability.minor)},
          {"pci_bus_id", text_from(card_->driver.device_bus, card_->device)},
          {"memory_bytes", text(info.total_bytes)}};
}

std::string driver_library(std::string* why) {
  if (const char* named = std::getenv("LUTRA_CUDA_DRIVER"); named != nullptr && *named != '\0') {
    if (std::string_view(named) != "none") return named;
    *why = "LUTRA_CUDA_DRIVER is none: GPUs are not looked for";
    return "";
  }
  for (const char* sign : {"/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg"}) {
    if (access(sign, F_OK) == 0) return "libcuda.so.1";
  }
  *why = "this system has no NVIDIA driver (no /dev/nvidiactl)";
  return "";
}

Discovery discover(const Driver& driver, const std::string& architectures, int toolkit_version, const Log* log) {
  Discovery found;
  int version = 0, count = 0;
  // If CUDA_VISIBLE_DEVICES shows no card, the driver does not even initialise.
  const char* hidden = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr ? "CUDA_VISIBLE_DEVICES hides all GPUs" : nullptr;
  Result started = driver.init(0);
  if (started == kNoDevice) {
    found.why_none = hidden != nullptr ? hidden : text("the driver shows no GPU: cuInit: ", driver.text_of(started));
    return found;
  }
  if (started != kSuccess) {
    found.why_none = text("the driver does not start: cuInit: ", driver.text_of(started));
    return found;
  }
  constexpr int kLeastVersion = 12000;
  if (driver.driver_version(&version) == kSuccess && version < kLeastVersion) {
    found.why_none =
        text("the driver is for CUDA ", version_text(version), "; it must be for 12.0 or later: install a newer one");
    return found;
  }
  if (Result result = driver.device_count(&count); result != kSuccess) {
    found.why_none = text("the driver shows no GPU: cuDeviceGetCount: ", driver.text_of(result));
    return found;
  }
  bool driver_compiles = compiles_for(version, toolkit_version);
  auto addresses = std::make_shared<AddressMap>();
  std::vector<std::shared_ptr<Card>> cards;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceHandle handle = 0;
    if (driver.device(&handle, ordinal) != kSuccess) continue;
    auto card = std::make_shared<Card>(driver, handle, static_cast<int>(cards.size()), addresses, log);
    Capability capability = card->capability();
    if (runs_on(architectures, capability, driver_compiles)) cards.push_back(std::move(card));
    else found.ignored.push_back(ignored_text(*card, ordinal, capability, architectures, toolkit_version));
  }
  introduce(driver, cards);
  for (std::shared_ptr<Card>& card : cards) found.devices.push_back(std::make_unique<CudaDevice>(std::move(card)));
  if (!found.devices.empty()) return found;
  if (!found.ignored.empty()) {
    found.why_none = "the plugin has no code for any of the cards";
    return found;
  }
  found.why_none = hidden != nullptr ? hidden : "the driver runs and shows no GPU";
  return found;
}

}  // namespace lutra::cuda
