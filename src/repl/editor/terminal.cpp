#include "repl/editor/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace lutra::editor {
namespace {

// Bracketed paste: a terminal marks what is pasted.
constexpr std::string_view kPasteOn = "\x1b[?2004h", kPasteOff = "\x1b[?2004l";
constexpr char kEndOfInput = '\x04';  // Ctrl-D
constexpr std::string_view kUsersCursor = "\x1b[0 q";
// For a signal that ends the process: colours off, and the cursor below what has been typed.
constexpr std::string_view kLastWords = "\x1b[m\x1b[?2004l\r\n";

// What signal handlers need: any thread of the process may run them. They tell wait() by a pipe.
int pipe_ends[2] = {-1, -1};
int taken_in = -1, taken_out = -1;
volatile std::sig_atomic_t has_shape = 0;  // the cursor
struct termios found;                      // the terminal's state before begin()

void on_event(int signal) {
  int error = errno;
  char byte = static_cast<char>(signal);
  [[maybe_unused]] ssize_t ignored = write(pipe_ends[1], &byte, 1);  // full: wait() has enough to do
  errno = error;
}

void on_end(int signal) {
  [[maybe_unused]] ssize_t ignored = write(taken_out, kLastWords.data(), kLastWords.size());
  if (has_shape != 0) ignored = write(taken_out, kUsersCursor.data(), kUsersCursor.size());
  tcsetattr(taken_in, TCSANOW, &found);
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // here it ends
}

bool is_end(int signal) { return signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT || signal == SIGABRT; }

bool open_pipe() { return pipe_ends[0] >= 0 || pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0; }

}  // namespace

bool Terminal::begin() {
  if (active_) return true;
  if (tcgetattr(in_, &found) != 0 || !open_pipe()) return false;
  raw_ = found;
  raw_.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
  raw_.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  raw_.c_cflag |= CS8;
  raw_.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  raw_.c_cc[VMIN] = 1;
  raw_.c_cc[VTIME] = 0;
  taken_in = in_;
  taken_out = out_;
  char byte;
  while (::read(pipe_ends[0], &byte, 1) > 0) {
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    bool ignored = before_[i].sa_handler == SIG_IGN && (before_[i].sa_flags & SA_SIGINFO) == 0;
    if (ignored && kSignals[i] != SIGWINCH && kSignals[i] != SIGINT) continue;  // as under nohup
    struct sigaction action = {};
    action.sa_handler = is_end(kSignals[i]) ? on_end : on_event;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, nullptr);
  }
  active_ = true;
  if (resume()) return true;
  end();
  return false;
}

bool Terminal::resume() {
  struct termios current;
  bool collects_lines = tcgetattr(in_, &current) == 0 && (current.c_lflag & ICANON) != 0;
  if (tcsetattr(in_, TCSADRAIN, &raw_) != 0 || !write(kPasteOn)) return false;
  if (collects_lines) read_ahead();
  return true;
}

void Terminal::read_ahead() {
  char bytes[4096];
  struct pollfd end = {in_, POLLIN, 0};
  while (poll(&end, 1, 0) == 1 && (end.revents & POLLIN) != 0) {
    ssize_t got = ::read(in_, bytes, sizeof bytes);
    if (got <= 0) break;
    // Where the terminal collects lines, Linux keeps Ctrl-D as a zero byte.
    std::replace(bytes, bytes + got, '\0', kEndOfInput);
    ahead_.append(bytes, static_cast<std::size_t>(got));
  }
}

void Terminal::shape_cursor(CursorShape shape, std::string& out) {
  // The console of older Linux prints the end of the sequence.
  const char* name = std::getenv("TERM");
  if (name != nullptr && std::string_view(name).starts_with("linux")) return;
  has_shape = shape != CursorShape::Default;
  switch (shape) {
    case CursorShape::Default: out += kUsersCursor; break;
    case CursorShape::Bar: out += "\x1b[6 q"; break;
    case CursorShape::Block: out += "\x1b[2 q"; break;
    case CursorShape::Underline: out += "\x1b[4 q"; break;
  }
}

void Terminal::restore() {
  if (has_shape != 0) write(kUsersCursor);
  has_shape = 0;
  write(kPasteOff);
  tcsetattr(in_, TCSADRAIN, &found);
}

void Terminal::end() {
  if (!active_) return;
  restore();
  active_ = false;
  for (std::size_t i = 0; i < kCount; ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

void Terminal::stop() {
  restore();
  for (std::size_t i = 0; i < kCount; ++i) {
    if (kSignals[i] == SIGTSTP) sigaction(SIGTSTP, &before_[i], nullptr);
  }
  kill(0, SIGTSTP);
  // Another thread may take the signal, a moment later. A process group that nobody could continue does not stop.
  struct pollfd continued = {pipe_ends[0], POLLIN, 0};
  poll(&continued, 1, 50);
  char signal;
  while (::read(pipe_ends[0], &signal, 1) > 0) {
  }
  struct sigaction action = {};
  action.sa_handler = on_event;
  sigaction(SIGTSTP, &action, nullptr);
}

Size Terminal::size() const {
  struct winsize window = {};
  Size size{80, 24};
  if (ioctl(out_, TIOCGWINSZ, &window) == 0) {
    if (window.ws_col > 0) size.columns = std::max<int>(window.ws_col, 2);
    if (window.ws_row > 0) size.rows = window.ws_row;
  }
  return size;
}

Terminal::Event Terminal::wait(int milliseconds) {
  for (;;) {
    struct pollfd ends[] = {{in_, POLLIN, 0}, {pipe_ends[0], POLLIN, 0}, {watched_, POLLIN, 0}};
    int ready = poll(ends, 3, ahead_.empty() ? milliseconds : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return Event::Gone;
    if (ready == 0) return ahead_.empty() ? Event::Nothing : Event::Input;
    char signal;
    if ((ends[1].revents & POLLIN) != 0 && ::read(pipe_ends[0], &signal, 1) == 1) {
      switch (signal) {
        case SIGWINCH: return Event::Resized;
        case SIGCONT: return Event::Continued;
        case SIGTSTP: return Event::Stop;
        case SIGINT: return Event::Interrupted;
      }
    }
    if ((ends[0].revents & POLLNVAL) != 0) return Event::Gone;
    if (ends[0].revents != 0) return Event::Input;
    if (ends[2].revents != 0 && ahead_.empty()) return Event::Watched;
  }
}

std::size_t Terminal::read(char* bytes, std::size_t most) {
  if (!ahead_.empty()) {
    std::size_t got = ahead_.copy(bytes, most);
    ahead_.erase(0, got);
    return got;
  }
  for (;;) {
    ssize_t got = ::read(in_, bytes, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN) {  // somebody made it non-blocking
      struct pollfd end = {in_, POLLIN, 0};
      poll(&end, 1, -1);
    } else if (errno != EINTR) {
      return 0;
    }
  }
}

bool Terminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(out_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      struct pollfd end = {out_, POLLOUT, 0};
      poll(&end, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace lutra::editor
