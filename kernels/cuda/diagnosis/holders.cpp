#include "kernels/cuda/diagnosis/holders.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/text.h"
#include "kernels/cuda/libraries/library_search.h"

namespace lutra::cuda {
namespace {

constexpr int kNvmlMajors[] = {1};
constexpr int kInsufficientSize = 7;                 // NVML_ERROR_INSUFFICIENT_SIZE
constexpr unsigned long long kNotAvailable = ~0ull;  // NVML_VALUE_NOT_AVAILABLE

struct NvmlProcess {  // nvmlProcessInfo_t, second version and third
  unsigned process;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

// The NVML functions used. The library stays open while this lives.
class Nvml {
 public:
  explicit Nvml(const std::string& file) : library_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    find("nvmlInit_v2", start_);
    find("nvmlShutdown", end_);
    find("nvmlDeviceGetHandleByPciBusId_v2", card_);
    find("nvmlDeviceGetComputeRunningProcesses_v3", processes_);
    is_open_ = start_ != nullptr && end_ != nullptr && card_ != nullptr && processes_ != nullptr && start_() == 0;
  }
  ~Nvml() {
    if (is_open_) end_();
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;

  std::optional<std::vector<NvmlProcess>> processes(const std::string& bus) const {
    void* card = nullptr;
    if (!is_open_ || card_(bus.c_str(), &card) != 0) return std::nullopt;
    std::vector<NvmlProcess> found(64);
    // Programs may start between two calls.
    for (int tries = 0; tries < 4; ++tries) {
      unsigned count = static_cast<unsigned>(found.size());
      int result = processes_(card, &count, found.data());
      if (result == kInsufficientSize) {
        found.resize(static_cast<std::size_t>(count) + 64);
        continue;
      }
      if (result != 0) return std::nullopt;
      found.resize(count);
      return found;
    }
    return std::nullopt;
  }

 private:
  template <class F> void find(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(dlsym(library_, name));
  }
  void* library_;
  bool is_open_ = false;
  int (*start_)() = nullptr;
  int (*end_)() = nullptr;
  int (*card_)(const char* bus, void** card) = nullptr;
  int (*processes_)(void* card, unsigned* count, NvmlProcess* found) = nullptr;
};

}  // namespace

std::optional<std::vector<Holder>> holders_by_driver(const System& system, const std::string& bus) {
  std::string file = search_system_library("nvidia-ml", kNvmlMajors, system).file;
  if (file.empty()) return std::nullopt;
  auto processes = Nvml(system.at(file)).processes(bus);
  if (!processes) return std::nullopt;
  std::vector<Holder> found;
  for (const NvmlProcess& each : *processes) {
    Holder holder{static_cast<int>(each.process), std::nullopt};
    if (each.bytes != kNotAvailable) holder.bytes = each.bytes;
    found.push_back(holder);
  }
  return found;
}

std::vector<Holder> holders_by_file(const System& system, const std::string& file) {
  std::vector<Holder> found;
  for (const std::string& process : system.list("/proc")) {
    if (!is_number(process)) continue;
    std::string folder = "/proc/" + process + "/fd";
    std::vector<std::string> open = system.list(folder);
    bool has_it = std::any_of(open.begin(), open.end(),
                              [&](const std::string& number) { return system.link(folder + "/" + number) == file; });
    if (has_it) found.push_back({std::atoi(process.c_str()), std::nullopt});
  }
  return found;
}

std::string holders_text(const System& system, const std::string& bus) {
  auto drop_own = [](std::vector<Holder> all) {
    std::erase_if(all, [](const Holder& holder) { return holder.process == getpid(); });
    return all;
  };
  std::vector<Holder> found = drop_own(holders_by_driver(system, bus).value_or(std::vector<Holder>()));
  int minor = minor_of(system, bus);
  if (found.empty() && minor >= 0) found = drop_own(holders_by_file(system, text("/dev/nvidia", minor)));
  std::string all;
  for (const Holder& holder : found) {
    std::string name = system.read(text("/proc/", holder.process, "/comm"));
    name.resize(std::min(name.find('\n'), name.size()));
    append(all, text(all.empty() ? "" : ", ", name.empty() ? "a program" : name, " (process ", holder.process));
    if (holder.bytes) append(all, text(", ", bytes_text(static_cast<int64_t>(*holder.bytes))));
    append(all, ")");
  }
  return all;
}

int minor_of(const System& system, const std::string& bus) {
  std::string name = bus;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string all = system.read("/proc/driver/nvidia/gpus/" + name + "/information");
  std::size_t at = all.find("Device Minor:");
  return at == std::string::npos ? -1 : std::atoi(all.c_str() + at + 13);
}

}  // namespace lutra::cuda
