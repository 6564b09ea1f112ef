#include "cli/launch_command.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/options.h"
#include "cli/reachable_hosts.h"
#include "core/text.h"
#include "core/usable_cores.h"
#include "hosts/cluster.h"
#include "hosts/launch.h"

namespace lutra {
namespace {

constexpr int kMostRanks = 65536;

int count_in(const char* option, std::string_view word, int least, int most) {
  int value = 0;
  auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size() || value < least || value > most) {
    throw UsageError(text("'launch': '", option, "' is '", word, "', expected a number from ", least, " to ", most));
  }
  return value;
}

struct Host {
  std::string name;
  int slots;  // 0: not given
};

std::vector<Host> read_hosts(std::string_view list) {
  std::vector<Host> hosts;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    const std::size_t colon = word.find(':');
    if (word.empty() || colon == 0)
      throw UsageError("'launch': '--hosts' has an empty name, expected NAME or NAME:RANKS");
    const int slots = colon == std::string_view::npos ? 0 : count_in("--hosts", word.substr(colon + 1), 1, kMostRanks);
    hosts.push_back({std::string(word.substr(0, colon)), slots});
    if (comma == std::string_view::npos) return hosts;
    list.remove_prefix(comma + 1);
  }
}

// Hosts without a number get equal shares of the ranks that the others leave, the first ones one more.
void share_ranks(std::vector<Host>& hosts, int ranks) {
  int given = 0, open = 0;
  for (const Host& host : hosts) {
    given += host.slots;
    open += host.slots == 0;
  }
  if (given > ranks || (given < ranks && open == 0)) {
    throw UsageError(text("'launch': '--hosts' has places for ", given, " ranks, and '-n' is ", ranks));
  }
  int left = ranks - given;
  for (Host& host : hosts) {
    if (host.slots > 0) continue;
    host.slots = (left + open - 1) / open;
    left -= host.slots;
    --open;
  }
}

int most_on_one_host(const LaunchCommand& command) {
  if (command.hosts.empty()) return command.ranks;
  std::vector<Host> hosts = read_hosts(command.hosts);
  share_ranks(hosts, command.ranks);
  int most = 1;
  for (const Host& host : hosts) most = std::max(most, host.slots);
  return most;
}

// Settings of Open MPI, unless the user has others. Idle calls give up the core. When a rank fails, mpirun ends the
// others by SIGTERM, always sleeps for 2 s, and kills them. It notices a host that is cut off, after 14 s, so that
// ranks can tell it first, after 10 s. On this host alone it needs no ssh, which containers may lack.
void set_up_open_mpi(bool is_here) {
  constexpr std::pair<const char*, const char*> kSettings[] = {
      {"OMPI_MCA_mpi_yield_when_idle", "1"},      {"OMPI_MCA_odls_base_sigkill_timeout", "2"},
      {"OMPI_MCA_oob_tcp_keepalive_time", "4"},   {"OMPI_MCA_oob_tcp_keepalive_intvl", "2"},
      {"OMPI_MCA_oob_tcp_keepalive_probes", "5"},
  };
  for (const auto& [name, value] : kSettings) setenv(name, value, 0);
  if (is_here) setenv("OMPI_MCA_plm_rsh_agent", "", 0);
}

std::string own_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) fail(ErrorCode::Internal, "launch: cannot read /proc/self/exe: ", std::strerror(errno));
  return std::string(path, static_cast<std::size_t>(length));
}

volatile std::sig_atomic_t stopped_by = 0;

// Leaves out the hosts that cannot be reached, and says so: mpirun does not. The others share their ranks. False if
// none is left.
bool leave_out_lost_hosts(LaunchCommand* command) {
  if (command->hosts.empty()) return true;
  std::vector<Host> hosts = read_hosts(command->hosts);
  std::string left;
  std::size_t count = 0;
  for (const Host& host : hosts) {
    if (stopped_by != 0) return false;
    if (!can_reach(host.name)) {
      std::fprintf(stderr, "lutra: launch: the host %s cannot be reached: ssh to it, without a password, must work\n",
                   host.name.c_str());
      continue;
    }
    append(left, text(left.empty() ? "" : ",", host.name));
    ++count;
  }
  if (count < hosts.size()) command->hosts = left;
  return count > 0;
}

volatile pid_t running_mpirun = 0;
volatile bool has_own_group = false;         // mpirun
volatile bool was_told = false;              // mpirun, to end
volatile std::sig_atomic_t was_aborted = 0;  // by a rank

// mpirun may wait for ever for a host that is cut off: it has this long to end. Before it ends it sleeps twice, as long
// as a setting of Open MPI says, without a look at what ranks print.
volatile unsigned seconds_to_end = 8;
void set_time_to_end() {
  const char* sleeps = std::getenv("OMPI_MCA_odls_base_sigkill_timeout");
  seconds_to_end = 4 + 2 * static_cast<unsigned>(std::clamp(sleeps != nullptr ? std::atoi(sleeps) : 0, 2, 1000));
}

// mpirun ends the ranks on SIGTERM; a second signal makes it end at once, without them. Programs such as timeout signal
// the whole process group, so mpirun has a group of its own, unless it reads from the terminal, which only the
// foreground group may. Then a terminal's Ctrl-C reaches mpirun itself, and a SIGINT that a process has sent
// (si_code <= 0) does not. SIGUSR1 comes from a rank that ends the job (Cluster::abort).
void on_stop(int signal, siginfo_t* info, void*) {
  if (running_mpirun <= 0) {
    if (signal == SIGINT || signal == SIGTERM) stopped_by = signal;
    return;
  }
  if (signal == SIGALRM) {
    kill(running_mpirun, SIGKILL);
    return;
  }
  if (signal == SIGUSR1) was_aborted = 1;
  else stopped_by = signal;
  const bool is_for_mpirun = signal == SIGTERM || (signal == SIGINT && (has_own_group || info->si_code <= 0));
  if (is_for_mpirun && !was_told) kill(running_mpirun, SIGTERM);
  was_told = was_told || is_for_mpirun;
  alarm(seconds_to_end);
}

int run_once(const std::string& mpirun, const std::vector<std::string>& words) {
  std::vector<char*> argv{const_cast<char*>(mpirun.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t parent = getpid();
  has_own_group = isatty(STDIN_FILENO) == 0;
  was_told = false;
  const pid_t child = fork();
  if (child < 0) fail(ErrorCode::ResourceExhausted, "launch: cannot start mpirun: ", std::strerror(errno));
  if (child == 0) {
    if (has_own_group) setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_FAILURE);
    execv(mpirun.c_str(), argv.data());
    std::fprintf(stderr, "lutra: launch: %s: %s\n", mpirun.c_str(), std::strerror(errno));
    _exit(EXIT_FAILURE);
  }
  was_aborted = 0;
  running_mpirun = child;
  struct sigaction action = {};
  action.sa_sigaction = on_stop;
  action.sa_flags = SA_SIGINFO;
  for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM}) sigaction(signal, &action, nullptr);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running_mpirun = 0;
  alarm(0);
  // mpirun's own status would tell in which way it has noticed the end.
  if (was_aborted != 0) return EXIT_FAILURE;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return WTERMSIG(status) == SIGKILL ? EXIT_FAILURE : 128 + WTERMSIG(status);
}

}  // namespace

LaunchCommand read_launch_command(int argc, char** argv, int first) {
  LaunchCommand command;
  int i = first;
  for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0' && std::strcmp(argv[i], "-e") != 0; ++i) {
    auto [word, value] = split_option(argv[i]);
    NearestWord nearest(word);
    for (const char* known : {"-n", "--hosts", "--sim-gpus", "--log-dir", "--restarts"}) nearest.offer(known);
    if (nearest.found() != word) throw UsageError(text("'launch' has no option '", word, "'", nearest.hint()));
    if (!value) {
      if (i + 1 >= argc) throw UsageError(text("'launch': '", word, "' needs a value"));
      value = argv[++i];
    }
    if (word == "-n") command.ranks = count_in("-n", *value, 1, kMostRanks);
    else if (word == "--hosts") command.hosts = *value;
    else if (word == "--sim-gpus") command.sim_gpus = *value;
    else if (word == "--log-dir") command.log_dir = *value;
    else command.restarts = count_in("--restarts", *value, 0, 1000);
  }
  if (command.ranks == 0) throw UsageError("'launch' needs the number of processes: lutra launch -n 4 script.lua");
  command.words.assign(argv + i, argv + argc);
  if (command.words.empty()) throw UsageError("'launch' needs a script: lutra launch -n 4 script.lua");
  most_on_one_host(command);  // checks them
  return command;
}

std::vector<std::string> mpirun_words(const LaunchCommand& command, const std::string& program) {
  // Ranks share their host's cores: mpirun must not bind each to one, nor refuse to start more than there are.
  std::vector<std::string> words{"-n", text(command.ranks), "--quiet", "--bind-to", "none", "--oversubscribe"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  if (!command.hosts.empty()) {
    std::vector<Host> hosts = read_hosts(command.hosts);
    share_ranks(hosts, command.ranks);
    std::string list;
    for (const Host& host : hosts) append(list, text(list.empty() ? "" : ",", host.name, ":", host.slots));
    words.insert(words.end(), {"--host", list});
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view entry = *variable;
    if (entry.starts_with("LUTRA_") || entry.starts_with("LUA_"))
      words.insert(words.end(), {"-x", std::string(entry.substr(0, entry.find('=')))});
  }
  words.push_back(program);
  if (!command.sim_gpus.empty()) words.insert(words.end(), {"--sim-gpus", command.sim_gpus});
  words.insert(words.end(), command.words.begin(), command.words.end());
  return words;
}

std::string find_mpirun(std::string* version) {
  std::string path;
  const char* list = std::getenv("PATH");
  for (std::string_view rest = list != nullptr ? list : ""; !rest.empty() && path.empty();) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = text(rest.substr(0, colon), "/mpirun");
    if (access(candidate.c_str(), X_OK) == 0) path = candidate;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  if (path.empty()) return "";
  std::FILE* told = popen(text("'", path, "' --version 2>&1 </dev/null").c_str(), "re");
  if (told == nullptr) fail(ErrorCode::ResourceExhausted, "launch: cannot run ", path, ": ", std::strerror(errno));
  char line[256] = "";
  if (std::fgets(line, sizeof line, told) == nullptr) line[0] = '\0';
  while (std::fgetc(told) != EOF) {
  }
  pclose(told);
  line[std::strcspn(line, "\n")] = '\0';
  if (version != nullptr) *version = line;
  if (std::strstr(line, "Open MPI") == nullptr && std::strstr(line, "OpenRTE") == nullptr) {
    fail(ErrorCode::FailedPrecondition, "launch: ", path, " is not Open MPI's (it says: ", line,
         "). Start the processes by it yourself: mpirun -n 4 lutra script.lua");
  }
  return path;
}

int run_launch_command(LaunchCommand command) {
  if (const std::optional<RankLaunch> outer = find_launch()) {
    fail(ErrorCode::FailedPrecondition, "launch: this process is itself rank ", outer->rank, " of ", outer->size,
         ", started by ", outer->launcher, ": start all ranks by one launch");
  }
  if (is_started_by_rank()) {
    fail(ErrorCode::FailedPrecondition,
         "launch: this process was started by a rank of another launch, and launches cannot be nested: start all ranks "
         "by one launch");
  }
  std::string why;
  if (open_mpi_plugin(&why) == nullptr) fail(ErrorCode::FailedPrecondition, "launch: MPI cannot be used: ", why);
  const std::string mpirun = find_mpirun(nullptr);
  if (mpirun.empty()) {
    fail(ErrorCode::FailedPrecondition, "launch: mpirun is not in PATH. Debian: apt-get install openmpi-bin");
  }
  // A rank's share of the cores, unless the user has chosen.
  const int threads = std::max(1, process_threads().threads / most_on_one_host(command));
  setenv("LUTRA_NUM_THREADS", text(threads).c_str(), 0);
  if (!command.log_dir.empty()) setenv("LUTRA_RANK_LOGS", command.log_dir.c_str(), 1);
  set_up_open_mpi(command.hosts.empty());
  set_time_to_end();
  name_launcher();
  for (int left = command.restarts;; --left) {
    const int status = run_once(mpirun, mpirun_words(command, own_program()));
    // As mpirun reports it. Which process that was, the others say.
    if (const int signal = status - 128; signal > 0 && signal < NSIG && stopped_by == 0) {
      std::fprintf(stderr, "lutra: launch: a process was ended by signal %d (%s)\n", signal, strsignal(signal));
    }
    if (status == EXIT_SUCCESS || stopped_by != 0) return status;
    if (!leave_out_lost_hosts(&command) || left == 0) return status;
    std::fprintf(stderr, "lutra: launch: the job has failed with status %d; starting it again (%d of %d)%s%s\n", status,
                 command.restarts - left + 1, command.restarts, command.hosts.empty() ? "" : " on ",
                 command.hosts.c_str());
  }
}

}  // namespace lutra
