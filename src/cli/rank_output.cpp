#include "cli/rank_output.h"

#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.h"
#include "hosts/launch.h"

namespace lutra {
namespace {

// Where a stream's text goes.
struct Output {
  int descriptor;
  std::string prefix;
  std::FILE* log;
  bool begins_line = true;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// One write for all lines: those of other ranks come between, not within.
ssize_t put(void* cookie, const char* bytes, std::size_t count) {
  Output& output = *static_cast<Output*>(cookie);
  if (output.log != nullptr) {
    std::fwrite(bytes, 1, count, output.log);
    std::fflush(output.log);
  }
  std::string lines;
  for (std::string_view rest(bytes, count); !rest.empty();) {
    if (output.begins_line) lines += output.prefix;
    const std::string_view line =
        rest.substr(0, rest.find('\n') == std::string_view::npos ? rest.size() : rest.find('\n') + 1);
    lines += line;
    output.begins_line = line.back() == '\n';
    rest.remove_prefix(line.size());
  }
  return write_all(output.descriptor, lines) ? static_cast<ssize_t>(count) : 0;
}

// mpirun gives each rank a terminal of its own, which passes a line with tabs on in pieces; then lines of other ranks
// come between them. Without output processing the line stays whole. A user's terminal needs it for the ends of lines
// (ONLCR).
void pass_lines_whole(int descriptor) {
  termios settings;
  if (tcgetattr(descriptor, &settings) != 0 || (settings.c_oflag & ONLCR) != 0) return;
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  tcsetattr(descriptor, TCSANOW, &settings);
}

std::FILE* replaced(std::FILE* stream, int descriptor, const std::string& prefix, std::FILE* log) {
  std::FILE* made = fopencookie(new Output{descriptor, prefix, log}, "w", {nullptr, put, nullptr, nullptr});
  if (made == nullptr) return stream;
  std::setvbuf(made, nullptr, _IOLBF, BUFSIZ);
  return made;
}

}  // namespace

void set_up_rank_output() {
  const std::optional<RankLaunch> launch = find_launch();
  if (!launch) return;
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) pass_lines_whole(descriptor);
  std::FILE* log = nullptr;
  if (const char* folder = std::getenv("LUTRA_RANK_LOGS"); folder != nullptr && *folder != '\0') {
    mkdir(folder, 0777);
    const std::string path = text(folder, "/rank-", launch->rank, ".log");
    log = std::fopen(path.c_str(), "ae");
    if (log == nullptr)
      std::fprintf(stderr, "lutra: launch: cannot write %s: %s\n", path.c_str(), std::strerror(errno));
  }
  if (launch->rank == 0 && log == nullptr) return;
  const std::string prefix = launch->rank == 0 ? "" : text("[", launch->rank, "] ");
  stdout = replaced(stdout, STDOUT_FILENO, prefix, log);
  stderr = replaced(stderr, STDERR_FILENO, prefix, log);
}

}  // namespace lutra
