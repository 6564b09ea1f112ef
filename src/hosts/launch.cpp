#include "hosts/launch.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/environment.h"
#include "core/error.h"
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

// Calls nothing that allocates.
bool is_daemon(pid_t process) {
  char path[32] = "/proc/", name[8] = "";
  std::strcpy(std::to_chars(path + 6, path + 20, process).ptr, "/comm");
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = read(file, name, sizeof name);
  close(file);
  return length == 6 && std::memcmp(name, "orted\n", 6) == 0;
}

}  // namespace

bool is_started_by_rank() {
  const std::optional<int> owner = integer_in(kClaim);
  return owner && *owner != getpid();
}

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
  if (is_started_by_rank()) return std::nullopt;
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

bool is_alive(pid_t process) {
  const int file = open(text("/proc/", process, "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char line[512] = "";
  const ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  // "12 (name) S ...": the name may contain anything.
  const char* end = length > 0 ? std::strrchr(line, ')') : nullptr;
  return end != nullptr && end[1] == ' ' && end[2] != 'Z' && end[2] != 'X';
}

void name_launcher() { setenv(kLauncher, text(getpid(), "@", host_name()).c_str(), 1); }

void call_launcher() {
  const char* value = std::getenv(kLauncher);
  const char* at = value != nullptr ? std::strchr(value, '@') : nullptr;
  if (at == nullptr || host_name() != at + 1) return;
  if (const int process = std::atoi(value); process > 1) kill(process, SIGUSR1);
}

void kill_daemon_after(int seconds) {
  const pid_t daemon = getppid();
  if (!is_daemon(daemon) || fork() != 0) return;
  // Only calls that are allowed after a fork of several threads.
  setsid();
  for (int file = 0; file < 64; ++file) close(file);
  for (int i = 0; i < 10 * seconds; ++i) {
    if (!is_daemon(daemon)) _exit(EXIT_SUCCESS);
    usleep(100000);
  }
  kill(daemon, SIGKILL);
  _exit(EXIT_SUCCESS);
}

void claim_launch() { setenv(kClaim, text(getpid()).c_str(), 1); }

std::string command_for_tf_config(const std::string& script) {
  const std::string_view value = environment_variable("TF_CONFIG");
  if (value.empty()) return "";
  nlohmann::json config = nlohmann::json::parse(value, nullptr, false);
  require(config.is_object(), "TF_CONFIG is no JSON object: ", value,
          "; expected {\"cluster\": {\"worker\": [\"host:port\", ...]}, \"task\": {...}}");
  if (!config.contains("cluster") || !config["cluster"].is_object()) return "";
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
