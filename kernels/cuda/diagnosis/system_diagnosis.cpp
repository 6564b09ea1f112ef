// What the machine's files say about its cards: the kernel's driver, the device files, the environment.
#include <sys/stat.h>

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "core/text.h"
#include "device/device_registry.h"
#include "kernels/cuda/diagnosis/diagnosis.h"
#include "kernels/cuda/diagnosis/holders.h"

namespace lutra::cuda {
namespace {

constexpr const char* kDriverVersion = "/proc/driver/nvidia/version";
constexpr const char* kControlFile = "/dev/nvidiactl";
constexpr const char* kMemoryFile = "/dev/nvidia-uvm";

bool in_container(const System& system) { return system.has("/.dockerenv") || system.has("/run/.containerenv"); }

// PCI addresses of NVIDIA's display controllers, that is, of the cards.
std::vector<std::string> cards_on_bus(const System& system) {
  std::vector<std::string> found;
  for (const std::string& address : system.list("/sys/bus/pci/devices")) {
    std::string folder = "/sys/bus/pci/devices/" + address;
    bool is_nvidia = system.read(folder + "/vendor").starts_with("0x10de");
    if (is_nvidia && system.read(folder + "/class").starts_with("0x03")) found.push_back(address);
  }
  return found;
}

// The kernel driver that the card is bound to, such as "nouveau"; "" if none.
std::string driver_of_card(const System& system, const std::string& address) {
  std::string link = system.link("/sys/bus/pci/devices/" + address + "/driver");
  return link.substr(link.rfind('/') + 1);
}

// "580.95.05" of the first line, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Wed ...".
std::string version_in(const std::string& line) {
  for (std::size_t at = 0; at < line.size() && line[at] != '\n';) {
    std::size_t end = std::min(line.find_first_of(" \t\n", at), line.size());
    std::string word = line.substr(at, end - at);
    at = line[std::min(end, line.size() - 1)] == '\n' ? line.size() : end + 1;
    bool is_version = word.find('.') != std::string::npos && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    if (is_version && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  }
  return "";
}

// "root:video, mode 660"
std::string owner_of(const std::string& file) {
  struct stat info;
  if (stat(file.c_str(), &info) != 0) return "nobody";
  const passwd* user = getpwuid(info.st_uid);
  const group* team = getgrgid(info.st_gid);
  char mode[8];
  std::snprintf(mode, sizeof mode, "%o", static_cast<unsigned>(info.st_mode & 0777));
  return text(user != nullptr ? user->pw_name : text(info.st_uid), ":",
              team != nullptr ? team->gr_name : text(info.st_gid), ", mode ", mode);
}

Finding driver_finding(const System& system, const std::vector<std::string>& cards, bool* is_there) {
  Finding finding{.check = "driver"};
  std::string version = version_in(system.read(kDriverVersion));
  *is_there = true;
  if (!version.empty()) {
    finding.text = text("NVIDIA's driver ", version, " runs");
    finding.details = {{"version", version}};
    return finding;
  }
  if (system.has("/dev/dxg")) {
    finding.text = "the driver is that of Windows, through /dev/dxg";
    return finding;
  }
  if (system.has(kControlFile) || system.has(kDriverVersion)) {
    finding.text = text("NVIDIA's driver runs; ", kDriverVersion, " does not give its version");
    return finding;
  }
  *is_there = false;
  if (cards.empty()) {
    finding.verdict = Verdict::Note;
    finding.text = "no NVIDIA driver and no card of NVIDIA's are on this machine, so ops run on the CPU";
    return finding;
  }
  finding.verdict = Verdict::Failed;
  finding.text = text("there is a card of NVIDIA's (PCI ", joined(cards), ") and its driver does not run: no ",
                      kDriverVersion, ", no ", kControlFile);
  finding.advice = in_container(system)
                       ? "start the container with the cards (docker run --gpus all)"
                       : "install NVIDIA's driver (Debian: nvidia-driver) or, when it is installed, modprobe nvidia";
  finding.details = {{"pci", joined(cards)}};
  std::string other = driver_of_card(system, cards[0]);
  if (other.empty() || other == "nvidia") return finding;
  append(finding.text, text("; ", other, " has the card"));
  finding.details.push_back({"kernel_driver", other});
  if (other == "nouveau")
    finding.advice =
        "install NVIDIA's driver (Debian: nvidia-driver), keep nouveau from being loaded "
        "(modprobe.d: blacklist nouveau), and restart";
  else if (other.starts_with("vfio")) finding.advice = "the card is passed on to a virtual machine: use it there";
  return finding;
}

// /dev/nvidia<minor> for each card that the driver has.
std::vector<std::string> card_files(const System& system) {
  std::vector<std::string> files;
  for (const std::string& bus : system.list("/proc/driver/nvidia/gpus")) {
    if (int minor = minor_of(system, bus); minor >= 0) files.push_back(text("/dev/nvidia", minor));
  }
  if (!files.empty()) return files;
  for (const std::string& name : system.list("/dev")) {
    if (name.starts_with("nvidia") && is_number(std::string_view(name).substr(6))) files.push_back("/dev/" + name);
  }
  return files;
}

Finding file_finding(const System& system) {
  Finding finding{.check = "device_files"};
  std::vector<std::string> cards = card_files(system), absent, closed;
  std::size_t usable_cards = 0;
  bool needed_fails = false;
  int first_error = 0;  // of a file that exists
  auto look = [&](const std::string& file) {
    int error = system.open_error(system.at(file));
    if (error == 0) return true;
    (system.has(file) ? closed : absent).push_back(file);
    if (closed.size() == 1 && closed[0] == file) first_error = error;
    return false;
  };
  // The driver's tools create nvidia-uvm when it is first needed: its absence alone is no failure.
  if (!look(kControlFile)) needed_fails = true;
  if (!look(kMemoryFile)) needed_fails = needed_fails || system.has(kMemoryFile);
  for (const std::string& file : cards) usable_cards += look(file);
  finding.details = {{"cards", joined(cards)}, {"no_permission", joined(closed)}, {"missing", joined(absent)}};
  if (absent.empty() && closed.empty()) {
    finding.text = text(joined(cards), " and the driver's own files can be opened");
    return finding;
  }
  finding.verdict = needed_fails || usable_cards == 0 ? Verdict::Failed : Verdict::Note;
  if (!closed.empty()) {
    bool is_forbidden = first_error == EACCES || first_error == EPERM;
    if (is_forbidden)
      finding.text = text("no permission to open ", joined(closed), " (", owner_of(system.at(closed[0])), ")");
    else finding.text = text(joined(closed), " cannot be opened: ", std::strerror(first_error));
    if (!is_forbidden) finding.advice = "dmesg may say more in lines with NVRM";
    else if (in_container(system)) finding.advice = "pass the device to the container (docker run --gpus all)";
    else
      finding.advice =
          "join that group (usermod -aG GROUP USER, then log in again), or get a card from the batch system";
  }
  if (!absent.empty()) {
    append(finding.text, text(closed.empty() ? "" : "; ", joined(absent), absent.size() == 1 ? " is" : " are",
                              " not there although the driver runs"));
    append(finding.advice, text(closed.empty() ? "" : "; ",
                                in_container(system) ? "start the container with the cards (docker run --gpus all)"
                                                     : "as root: nvidia-modprobe -u -c 0"));
  }
  return finding;
}

// Whether every entry is an index: cards can also be named by UUID.
bool names_indices(std::string_view value) {
  return value.find_first_not_of("0123456789,- ") == std::string_view::npos;
}

}  // namespace

std::vector<Finding> diagnose_system(const System& system, bool* has_driver) {
  std::vector<Finding> findings{driver_finding(system, cards_on_bus(system), has_driver)};
  if (!*has_driver) return findings;
  if (!system.has("/dev/dxg")) findings.push_back(file_finding(system));
  return findings;
}

Finding diagnose_visible(const System& system) {
  Finding finding{.check = "visible_devices"};
  const char* set = system.variable("CUDA_VISIBLE_DEVICES");
  int count = static_cast<int>(system.list("/proc/driver/nvidia/gpus").size());
  if (set == nullptr) {
    finding.text = "CUDA_VISIBLE_DEVICES is not set: all cards are shown";
    return finding;
  }
  std::string value = set;
  finding.details = {{"CUDA_VISIBLE_DEVICES", value}};
  finding.text = text("CUDA_VISIBLE_DEVICES is '", value, "'");
  // Without the driver's list, any index may be valid.
  if (!names_indices(value) || !pick_visible(value, count > 0 ? count : 1024).empty()) return finding;
  finding.verdict = Verdict::Failed;
  append(finding.text, " and hides all GPUs");
  if (value.empty() || value == "-1" || count == 0) finding.advice = "unset CUDA_VISIBLE_DEVICES, or set it to 0";
  else
    finding.advice =
        text("the driver has ", count, count == 1 ? " card" : " cards", ", numbered from 0: name those, each once");
  return finding;
}

}  // namespace lutra::cuda
