// What the terminal at stdout can show, for lutra.plot: its size, colours, UTF-8, and inline pictures.

#include "lua/bindings/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/environment.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// The locale's encoding by the variables that choose it, as a program need not have called setlocale.
bool is_utf8() {
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    locale = environment_variable(name);
    if (!locale.empty()) break;
  }
  for (std::string_view encoding : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
    if (locale.find(encoding) != std::string_view::npos) return true;
  }
  return false;
}

thread_local const TerminalFeatures* overridden = nullptr;
Color chosen_color = Color::Auto;

// Of the terminal that `file` is, 0 if it is none. As in other programs, the variable counts more than what it says.
int columns_of(int file, winsize* size) {
  if (isatty(file) != 0) ioctl(file, TIOCGWINSZ, size);
  const int wanted = std::atoi(environment_variable("COLUMNS").data());
  return wanted > 0 ? wanted : size->ws_col;
}

TerminalFeatures features_of_stdout(winsize* size) {
  TerminalFeatures found;
  found.is_terminal = isatty(STDOUT_FILENO) != 0;
  found.has_colors = wants_colors(STDOUT_FILENO);
  found.is_utf8 = is_utf8();
  found.columns = columns_of(STDOUT_FILENO, size);
  found.rows = size->ws_row;
  return found;
}

// terminal(): {is_terminal, has_colors, is_utf8[, columns, rows, width, height]}; width and height in pixels, if known.
int terminal(Args& args) {
  winsize size{};
  const TerminalFeatures found = overridden != nullptr ? *overridden : features_of_stdout(&size);
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, 0, 7);
    auto boolean = [L](const char* name, bool value) {
      lua_pushboolean(L, value);
      lua_setfield(L, -2, name);
    };
    auto integer = [L](const char* name, int value) {
      if (value <= 0) return;
      lua_pushinteger(L, value);
      lua_setfield(L, -2, name);
    };
    boolean("is_terminal", found.is_terminal);
    boolean("has_colors", found.has_colors);
    boolean("is_utf8", found.is_utf8);
    integer("columns", found.columns);
    integer("rows", found.rows);
    integer("width", size.ws_xpixel);
    integer("height", size.ws_ypixel);
    return 1;
  });
  return 1;
}

// Reads what the terminal sends without waiting for a newline or showing it, until restored.
class RawInput {
 public:
  // A program in the background would be stopped for changing the terminal.
  RawInput() : is_set_(tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_set_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    is_set_ = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
  }
  ~RawInput() {
    if (is_set_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  RawInput(const RawInput&) = delete;
  bool is_set() const { return is_set_; }

 private:
  termios before_{};
  bool is_set_;
};

// Whether what was read ends with the answer to "\33[c": "\33[?62;4;22c".
bool is_complete(std::string_view answer) {
  const std::size_t at = answer.rfind("\33[?");
  return at != std::string_view::npos && answer.find('c', at) != std::string_view::npos;
}

// The answer to a question after which every terminal also answers "\33[c"; what came until then if it does not.
std::string ask(std::string_view question, int64_t timeout_ms) {
  RawInput raw;
  std::string answer;
  if (!raw.is_set()) return answer;
  while (!question.empty()) {
    const ssize_t done = write(STDOUT_FILENO, question.data(), question.size());
    if (done <= 0) return answer;
    question.remove_prefix(static_cast<std::size_t>(done));
  }
  const int64_t end = now_ns() + timeout_ms * 1'000'000;
  while (!is_complete(answer)) {
    const int64_t left_ms = (end - now_ns()) / 1'000'000;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (left_ms <= 0 || poll(&input, 1, static_cast<int>(left_ms)) <= 0) break;
    char bytes[256];
    const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count <= 0) break;
    answer.append(bytes, static_cast<std::size_t>(count));
  }
  return answer;
}

// Whether ";4" is among the features that the terminal lists: sixel.
bool lists_sixel(std::string_view answer) {
  const std::size_t at = answer.rfind("\33[?");
  if (at == std::string_view::npos) return false;
  std::string_view features = answer.substr(at, answer.find('c', at) - at);
  for (std::size_t i = features.find(";4"); i != std::string_view::npos; i = features.find(";4", i + 1)) {
    if (i + 2 == features.size() || features[i + 2] == ';') return true;
  }
  return false;
}

std::string find_pictures() {
  constexpr int64_t kTimeoutMs = 100;
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) return "";
  const std::string_view term = environment_variable("TERM");
  if (term.empty() || term == "dumb" || term == "linux") return "";
  // In the background the question would stop the process.
  if (tcgetpgrp(STDIN_FILENO) != getpgrp()) return "";
  // What the user has typed ahead would be taken for the answer.
  int waiting = 0;
  if (ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting > 0) return "";
  std::fflush(stdout);
  // Kitty's question
  // (https://sw.kovidgoyal.net/kitty/graphics-protocol/#querying-support-and-available-transmission-mediums): may a
  // picture of one pixel be shown? Then DEC's: what can you do?
  const std::string answer = ask("\33_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\33\\\33[c", kTimeoutMs);
  if (answer.find("\33_Gi=31;OK") != std::string::npos) return "kitty";
  return lists_sixel(answer) ? "sixel" : "";
}

// terminal_pictures(): "kitty" or "sixel", by which protocol the terminal shows pictures; else "". It is asked once.
int terminal_pictures(Args& args) {
  if (overridden != nullptr) {
    push_text(args, "");
    return 1;
  }
  static const std::string found = find_pictures();
  push_text(args, found);
  return 1;
}

}  // namespace

void choose_colors(Color color) { chosen_color = color; }

bool wants_colors(int descriptor) {
  if (chosen_color != Color::Auto) return chosen_color == Color::Always;
  return isatty(descriptor) != 0 && environment_variable("NO_COLOR").empty() && environment_variable("TERM") != "dumb";
}

TerminalOverride::TerminalOverride(const TerminalFeatures& features) : before_(overridden) { overridden = &features; }

bool is_stderr_terminal() { return overridden != nullptr ? overridden->is_terminal : isatty(STDERR_FILENO) != 0; }

int stderr_columns() {
  winsize size{};
  return overridden != nullptr ? overridden->columns : columns_of(STDERR_FILENO, &size);
}

TerminalOverride::~TerminalOverride() { overridden = before_; }

void open_terminal(lua_State* L, State& state) {
  set_function<terminal>(L, state, "terminal", "plot");
  set_function<terminal_pictures>(L, state, "terminal_pictures", "plot");
}

}  // namespace lutra
