// What the driver reports of itself and its cards, and where its library and the toolkit's are.
#include <algorithm>

#include "core/text.h"
#include "device/cuda/architectures.h"
#include "kernels/cuda/diagnosis/diagnosis.h"
#include "kernels/cuda/diagnosis/holders.h"
#include "kernels/cuda/libraries/communicators.h"
#include "kernels/cuda/libraries/convolutions.h"

namespace lutra::cuda {
namespace {

constexpr int kLeastVersion = 12000;  // the same as in discover
constexpr std::size_t kMiB = std::size_t{1} << 20;
// A context, the kernels' code and a small program need about this much.
constexpr std::size_t kLeastFreeBytes = 512 * kMiB;

constexpr Result kStubLibrary = 34, kDeviceUnavailable = 46, kInvalidDevice = 101, kOperatingSystem = 304,
                 kSystemNotReady = 802, kDriverMismatch = 803, kCompatNotSupported = 804;

const char* advice_for(Result result) {
  switch (result) {
    case kStubLibrary: return "this is the toolkit's stub: take its folder out of LD_LIBRARY_PATH";
    case kNoDevice: return "look at CUDA_VISIBLE_DEVICES, at the device files above, and at dmesg for lines with NVRM";
    case kInvalidDevice: return "CUDA_VISIBLE_DEVICES names a card that is not there";
    case kOperatingSystem: return "look at the device files above; in a container: docker run --gpus all";
    case kSystemNotReady:
      return "start the fabric manager of this machine's NVSwitch (systemctl start nvidia-fabricmanager)";
    case kDriverMismatch:
      return "the driver's library and its kernel module are of different versions: restart the machine after an "
             "update; in a container remove the libcuda.so.1 that it brought along";
    case kCompatNotSupported: return "the compatibility package of CUDA does not go with this card: remove it";
    default: return "dmesg may say more in lines with NVRM";
  }
}

std::string text_from(Result (*ask)(char*, int, DeviceHandle), DeviceHandle device) {
  char text[128] = "";
  return ask(text, sizeof text, device) == kSuccess ? std::string(text) : std::string();
}

int attribute_of(const Driver& driver, DeviceHandle device, int which) {
  int value = 0;
  return driver.device_attribute(&value, which, device) == kSuccess ? value : 0;
}

// Which programs hold the card's memory, as the end of a sentence.
std::string by_whom(const System& system, const std::string& bus) {
  std::string holders = holders_text(system, bus);
  if (!holders.empty()) return text(" by ", holders);
  return ": by whom cannot be seen from here (another user's programs, or outside of this container)";
}

Finding capability_finding(const Driver& driver, DeviceHandle device, const PluginFacts& plugin) {
  Finding finding{.check = "card"};
  Capability is{attribute_of(driver, device, kComputeCapabilityMajor),
                attribute_of(driver, device, kComputeCapabilityMinor)};
  std::string name = text_from(driver.device_name, device), bus = text_from(driver.device_bus, device);
  finding.details = {{"name", name}, {"compute_capability", text(is.major, ".", is.minor)}, {"pci_bus_id", bus}};
  finding.text = text(name, ", compute capability ", is.major, ".", is.minor, ", PCI ", bus);
  bool driver_compiles = compiles_for(driver.version(), plugin.toolkit_version);
  if (plugin.architectures.empty() || runs_on(plugin.architectures, is, driver_compiles)) return finding;
  finding.verdict = Verdict::Failed;
  if (runs_on(plugin.architectures, is)) {
    append(finding.text, text(": left out. ", only_compiled_text(driver.version(), plugin.toolkit_version)));
    finding.advice =
        text("install a driver for CUDA ", version_text(plugin.toolkit_version),
             " or later, or build with -DLUTRA_CUDA_ARCHITECTURES=sm_", is.major, is.minor, " (docs/cuda.md)");
    return finding;
  }
  append(finding.text, text(": left out, for the plugin has no code for it (it has ", plugin.architectures, ")"));
  finding.advice = text("build with -DLUTRA_CUDA_ARCHITECTURES=sm_", is.major, is.minor, " (docs/cuda.md)");
  return finding;
}

Finding memory_finding(const Driver& driver, DeviceHandle device, const System& system) {
  Finding finding{.check = "memory"};
  std::string bus = text_from(driver.device_bus, device);
  Context context = nullptr;
  Result result = driver.retain_context(&context, device);
  if (result != kSuccess) {
    finding.verdict = Verdict::Failed;
    finding.text = text("the card gives no context: ", driver.text_of(result));
    bool is_taken = result == kDeviceUnavailable || result == kOutOfMemory;
    if (is_taken) append(finding.text, text("; it is taken", by_whom(system, bus)));
    finding.advice = result == kDeviceUnavailable
                         ? "another program has the card to itself (nvidia-smi -c 0 lets several in)"
                     : result == kOutOfMemory ? "end a program that has its memory, or take another card"
                                              : advice_for(result);
    return finding;
  }
  std::size_t free_bytes = 0, total_bytes = 0;
  result = driver.set_context(context);
  if (result == kSuccess) result = driver.memory_info(&free_bytes, &total_bytes);
  driver.set_context(nullptr);
  driver.release_context(device);
  if (result != kSuccess) {
    finding.verdict = Verdict::Failed;
    finding.text = text("the card's memory cannot be queried: ", driver.text_of(result));
    finding.advice = advice_for(result);
    return finding;
  }
  finding.details = {{"free_bytes", text(free_bytes)}, {"total_bytes", text(total_bytes)}};
  finding.text = text(bytes_text(static_cast<int64_t>(free_bytes)), " of ",
                      bytes_text(static_cast<int64_t>(total_bytes)), " are free");
  if (free_bytes >= total_bytes / 2) return finding;
  finding.verdict = free_bytes < kLeastFreeBytes && free_bytes < total_bytes / 8 ? Verdict::Failed : Verdict::Note;
  append(finding.text, text(", the rest is taken", by_whom(system, bus)));
  finding.advice = "end what takes the memory, or take another card (CUDA_VISIBLE_DEVICES)";
  return finding;
}

// Why cuDNN cannot be used on the card; "" if it starts there.
std::string why_no_cudnn(const Driver& driver, DeviceHandle device, const std::string& file) {
  std::string why;
  Context context = nullptr;
  if (driver.retain_context(&context, device) != kSuccess) return "";  // the memory finding reports this
  if (driver.set_context(context) == kSuccess) {
    if (const Cudnn* library = open_cudnn(file, &why); library != nullptr) Convolutions::create(*library, &why);
    driver.set_context(nullptr);
  }
  driver.release_context(device);
  return why;
}

}  // namespace

Finding diagnose_driver_library(const System& system, std::string* file) {
  Finding finding{.check = "driver_library"};
  file->clear();
  if (std::string named = system.value("LUTRA_CUDA_DRIVER"); !named.empty()) {
    finding.details = {{"LUTRA_CUDA_DRIVER", named}};
    if (named == "none") {
      finding.verdict = Verdict::Note;
      finding.text = "LUTRA_CUDA_DRIVER is none: GPUs are not looked for";
      return finding;
    }
    // A name without a folder is looked for by the dynamic linker.
    if (named.find('/') != std::string::npos && !system.has(named)) {
      finding.verdict = Verdict::Failed;
      finding.text = text("LUTRA_CUDA_DRIVER is ", named, ", and there is no such file");
      finding.advice = "unset LUTRA_CUDA_DRIVER, or set it to the file of libcuda.so.1";
      return finding;
    }
    *file = named;
    finding.text = text(named, ", as LUTRA_CUDA_DRIVER says");
    return finding;
  }
  LibrarySearch found = search_system_library("cuda", kDriverMajors, system);
  finding.searched = found.folders;
  if (found.file.empty()) {
    finding.verdict = Verdict::Failed;
    finding.text = text("the driver's library libcuda.so.1 is missing (looked for in ", joined(found.folders), ")");
    finding.advice =
        "install it in the driver's version (Debian: libcuda1); a container gets it with docker run --gpus "
        "all and NVIDIA_DRIVER_CAPABILITIES=compute,utility";
    return finding;
  }
  *file = found.file;
  finding.text = text(found.file, " is version ", found.version);
  finding.details = {{"file", found.file}, {"version", found.version}};
  return finding;
}

Finding diagnose_driver(const Driver& driver, const PluginFacts& plugin, const System& system, int* count) {
  Finding finding{.check = "cuda"};
  *count = 0;
  auto failed = [&](std::string why, std::string advice) {
    finding.verdict = Verdict::Failed;
    finding.text = std::move(why);
    finding.advice = std::move(advice);
    return finding;
  };
  auto no_gpu = [&](Result result) {
    bool is_set = system.variable("CUDA_VISIBLE_DEVICES") != nullptr;
    return failed(text("the driver shows no GPU", result != kSuccess ? ": " + driver.text_of(result) : std::string()),
                  is_set ? "unset CUDA_VISIBLE_DEVICES, or name cards that are there" : advice_for(kNoDevice));
  };
  if (Result result = driver.init(0); result == kNoDevice) {
    return no_gpu(result);
  } else if (result != kSuccess) {
    return failed(text("the driver does not start: cuInit: ", driver.text_of(result)), advice_for(result));
  }
  int version = 0;
  if (driver.driver_version(&version) == kSuccess) finding.details = {{"driver_cuda", version_text(version)}};
  if (plugin.toolkit_version > 0) finding.details.push_back({"plugin_cuda", version_text(plugin.toolkit_version)});
  if (version < kLeastVersion) {
    return failed(text("the driver is for CUDA ", version_text(version), "; it must be for 12.0 or later"),
                  "install driver 525 or later");
  }
  if (version / 1000 < plugin.toolkit_version / 1000) {
    return failed(text("the driver is for CUDA ", version_text(version),
                       ", older than the toolkit that the plugin was "
                       "built with (",
                       version_text(plugin.toolkit_version), ")"),
                  text("install a driver for CUDA ", plugin.toolkit_version / 1000, ".0 or later",
                       plugin.toolkit_version >= 13000 ? " (580)" : " (525)", ", or build the plugin with a toolkit ",
                       version / 1000));
  }
  if (Result result = driver.device_count(count); result != kSuccess || *count == 0) return no_gpu(result);
  finding.text =
      text("the driver is for CUDA ", version_text(version), " and shows ", *count, *count == 1 ? " card" : " cards");
  return finding;
}

std::vector<Finding> diagnose_cards(const Driver& driver, int count, const PluginFacts& plugin, const System& system,
                                    const std::string& cudnn_file) {
  std::vector<Finding> findings;
  int number = 0;  // numbered as in discovery, which leaves out unusable cards
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceHandle device = 0;
    if (Result result = driver.device(&device, ordinal); result != kSuccess) {
      findings.push_back({.check = "card",
                          .verdict = Verdict::Failed,
                          .text = text("the driver's card ", ordinal, ": ", driver.text_of(result)),
                          .advice = advice_for(result)});
      continue;
    }
    findings.push_back(capability_finding(driver, device, plugin));
    if (findings.back().verdict == Verdict::Failed) continue;
    findings.back().device = text("GPU:", number++);
    Finding memory = memory_finding(driver, device, system);
    memory.device = findings.back().device;
    bool has_context = memory.verdict != Verdict::Failed;
    findings.push_back(std::move(memory));
    if (cudnn_file.empty() || !has_context) continue;
    if (std::string why = why_no_cudnn(driver, device, cudnn_file); !why.empty()) {
      findings.push_back(
          {.check = "cudnn",
           .device = findings.back().device,
           .verdict = Verdict::Note,
           .text = text(why, ", so ", kWithoutCudnn),
           .advice = "install a cuDNN for the driver's CUDA; or other programs may hold the card's memory"});
    }
  }
  return findings;
}

Finding diagnose_cublas(const LibrarySearch& found, bool is_needed, int driver_version) {
  std::string wanted, driver;
  for (int major : cublas_lt_majors(driver_version)) wanted += (wanted.empty() ? "" : " or ") + std::to_string(major);
  if (driver_version > 0) driver = text(" by a driver for CUDA ", version_text(driver_version));
  Finding finding{.check = "cublasLt"};
  finding.searched = found.folders;
  if (!found.file.empty()) {
    finding.text = text(found.file, " is version ", found.version);
    finding.details = {{"file", found.file}, {"version", found.version}};
    if (found.unwanted.empty()) return finding;
    append(finding.text,
           text("; major version ", wanted, " is needed", driver, ", so these were ignored: ", joined(found.unwanted)));
    return finding;
  }
  finding.verdict = is_needed ? Verdict::Failed : Verdict::Note;
  finding.text = "libcublasLt is ";
  if (found.unwanted.empty()) append(finding.text, "missing");
  else
    append(finding.text,
           text("of another major version (", joined(found.unwanted), "), ", wanted, " is needed", driver));
  append(finding.text, text("; it was looked for in ", joined(found.folders)));
  finding.advice = is_needed
                       ? "until it is there MatMul runs on the CPU: install the CUDA toolkit's library, or name its "
                         "folder in LUTRA_CUDA_PATH"
                       : "nothing in this build uses it";
  return finding;
}

namespace {

// An optional library.
struct Extra {
  const char* check;
  const char* name;  // lib<name>.so.<major>
  const char* variable;
  std::span<const int> majors;
  const char* purpose;
  const char* otherwise;
};

Finding diagnose_extra(const Extra& extra, bool is_wanted, const System& system, const std::string& beside) {
  Finding finding{.check = extra.check};
  if (!is_wanted) {
    finding.verdict = Verdict::Note;
    finding.text = text(extra.variable, " is ", system.value(extra.variable), ": ", extra.otherwise);
    return finding;
  }
  LibrarySearch found = search_library(extra.name, extra.majors, beside, system);
  finding.searched = found.folders;
  if (!found.file.empty()) {
    finding.text = text(found.file, " is version ", found.version, ", for ", extra.purpose);
    finding.details = {{"file", found.file}, {"version", found.version}};
    return finding;
  }
  finding.verdict = Verdict::Note;
  finding.text = text("lib", extra.name, " is ");
  if (found.unwanted.empty()) append(finding.text, "not here");
  else
    append(finding.text,
           text("of another major version (", joined(found.unwanted), "), ", extra.majors.front(), " is needed"));
  append(finding.text, text(", so ", extra.otherwise, "; it was looked for in ", joined(found.folders)));
  return finding;
}

}  // namespace

Finding diagnose_cudnn(const System& system, const std::string& beside) {
  const Extra extra{"cudnn", "cudnn", "LUTRA_CUDNN", kCudnnMajors, "convolutions", kWithoutCudnn};
  return diagnose_extra(extra, is_cudnn_wanted(system), system, beside);
}

Finding diagnose_nccl(const System& system, const std::string& beside) {
  const Extra extra{"nccl", "nccl", "LUTRA_NCCL", kNcclMajors, "sums over cards", kWithoutNccl};
  return diagnose_extra(extra, is_nccl_wanted(system), system, beside);
}

}  // namespace lutra::cuda
