#include "hosts/launch.h"

#include <unistd.h>

#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace lutra {
namespace {

constexpr const char* kClaim = "LUTRA_RANK_PROCESS";
constexpr const char* kLauncher = "LUTRA_LAUNCHER";

std::optional<int> integer_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  int number = 0;
  const char* end = value + std::strlen(value);
  auto [stop, problem] = std::from_chars(value, end, number);
  if (problem != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<RankLaunch> find_launch() {
  // Each launcher's variables for rank and size, in the order in which they count. srun sets SLURM_* also without MPI,
  // so only together with PMIX_RANK or PMI_RANK.
  struct Variables {
    const char *rank, *size, *launcher;
  };
  constexpr Variables kKnown[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "mpirun"},
      {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "srun"},
      {"PMI_RANK", "PMI_SIZE", "mpirun"},
  };
  if (std::optional<int> owner = integer_in(kClaim); owner && *owner != getpid()) return std::nullopt;
  for (const Variables& each : kKnown) {
    std::optional<int> rank = integer_in(each.rank), size = integer_in(each.size);
    if (rank && size && *rank < *size) return RankLaunch{*rank, *size, each.launcher};
  }
  return std::nullopt;
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

void name_launcher() { setenv(kLauncher, text(getpid(), "@", host_name()).c_str(), 1); }

void call_launcher() {
  const char* value = std::getenv(kLauncher);
  const char* at = value != nullptr ? std::strchr(value, '@') : nullptr;
  if (at == nullptr || host_name() != at + 1) return;
  if (const int process = std::atoi(value); process > 1) kill(process, SIGUSR1);
}

void claim_launch() { setenv(kClaim, text(getpid()).c_str(), 1); }

std::string command_for_tf_config(const std::string& script) {
  const char* value = std::getenv("TF_CONFIG");
  if (value == nullptr) return "";
  nlohmann::json config = nlohmann::json::parse(value, nullptr, false);
  if (!config.is_object() || !config.contains("cluster") || !config["cluster"].is_object()) return "";
  std::string hosts;
  std::size_t count = 0;
  for (const char* job : {"chief", "worker"}) {
    const auto list = config["cluster"].find(job);
    if (list == config["cluster"].end() || !list->is_array()) continue;
    for (const auto& entry : *list) {
      if (!entry.is_string()) continue;
      const std::string address = entry.get<std::string>();
      append(hosts, text(hosts.empty() ? "" : ",", address.substr(0, address.rfind(':'))));
      ++count;
    }
  }
  if (count == 0) return "";
  return text("lutra launch -n ", count, " --hosts ", hosts, " ", script.empty() ? "script.lua" : script);
}

}  // namespace lutra
