#include "cli/reachable_hosts.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "hosts/launch.h"

namespace lutra {
namespace {

constexpr auto kLimit = std::chrono::seconds(10);

// The first command of Open MPI's list, "a -x : b", in words.
std::vector<std::string> agent() {
  const char* given = std::getenv("OMPI_MCA_plm_rsh_agent");
  if (given == nullptr || *given == '\0') return {"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5"};
  std::string_view list(given);
  list = list.substr(0, list.find(':'));
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    if (end != 0) words.emplace_back(list.substr(0, end));
    list = end == std::string_view::npos ? "" : list.substr(end + 1);
  }
  return words;
}

// Whether it is this host, by name or by an address that a socket here can have. mpirun uses no agent for it.
bool is_here(const std::string& host) {
  if (host == "localhost" || host == host_name()) return true;
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return false;
  bool is_own = false;
  for (const addrinfo* each = list; each != nullptr && !is_own; each = each->ai_next) {
    const int socket = ::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    is_own = socket >= 0 && bind(socket, each->ai_addr, each->ai_addrlen) == 0;
    if (socket >= 0) close(socket);
  }
  freeaddrinfo(list);
  return is_own;
}

}  // namespace

bool can_reach(const std::string& host) {
  if (is_here(host)) return true;
  std::vector<std::string> words = agent();
  words.insert(words.end(), {host, "true"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return true;  // mpirun will say why
  if (child == 0) {
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDWR);
    for (int stream : {0, 1, 2}) dup2(nothing, stream);
    execvp(argv[0], argv.data());
    _exit(EXIT_FAILURE);
  }
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return true;
    if (std::chrono::steady_clock::now() - start > kLimit) {
      kill(-child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace lutra
