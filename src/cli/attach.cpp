#include "cli/attach.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/repl.h"
#include "cli/report.h"
#include "core/environment.h"
#include "core/text.h"
#include "lua/border/interpreter.h"
#include "repl/attach/client.h"
#include "repl/session/session.h"

namespace lutra {
namespace {

using attach::Frame;
using attach::Kind;

constexpr int kMostInterrupts = 3;
constexpr int kCompletionMs = 1000;  // a host that polls less often completes nothing
constexpr int kSignatureMs = 30;     // asked at each key
constexpr int kPatienceMs = 1000;    // until the user is told what is waited for

volatile std::sig_atomic_t presses = 0;
void count_interrupt(int) { presses = presses + 1; }

bool is_utf8_locale() {
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    locale = environment_variable(name);
    if (!locale.empty()) break;
  }
  return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
}

std::string about_terminal(const Report& report) {
  winsize size{};
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  if (is_terminal) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return text("terminal=", is_terminal ? 1 : 0, "\ncolors=", is_terminal && report.has_colors() ? 1 : 0,
              "\nutf8=", is_utf8_locale() ? 1 : 0, "\ncolumns=", size.ws_col, "\nrows=", size.ws_row, "\n");
}

InterpreterOptions parser_options() {
  InterpreterOptions options;
  options.sim_gpus = 0;
  options.ignore_environment = true;
  return options;
}

class AttachedPrompt {
 public:
  AttachedPrompt(const Options& options, const Report& report)
      : report_(report),
        ignores_environment_(options.interpreter.ignore_environment),
        is_interactive_(is_interactive_terminal()),
        parser_(parser_options()),
        session_(parser_.lua(),
                 {.user = nullptr, .show = [](void*, SessionHost::Text, std::string_view) {}, .is_interactive = true}),
        client_(options.attach_path, about_terminal(report)) {
    struct sigaction action = {};
    action.sa_handler = count_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigprocmask(SIG_SETMASK, nullptr, &unblocked_);
    sigdelset(&unblocked_, SIGINT);
  }

  int run();

 private:
  enum class Wait { Ready, Closed, Left };
  Wait wait_until_ready();
  void show(const Frame& frame);
  void take_ready(std::string_view payload);
  void give_input();
  std::optional<std::string> ask(Kind kind, std::string_view text, std::size_t cursor, int milliseconds);
  Completion complete(std::string_view text, std::size_t cursor);
  std::string signature(std::string_view text, std::size_t cursor);
  int leave(Wait how);

  const Report& report_;
  const bool ignores_environment_;
  const bool is_interactive_;
  // Tells whether an entry is complete without a question to the host, which may be busy.
  Interpreter parser_;
  Session session_;
  attach::Client client_;
  sigset_t unblocked_;
  std::string prompt_ = "> ", next_prompt_ = ">> ", host_;
  bool has_begun_ = false;
  bool has_failed_ = false;
  bool is_slow_ = false;  // the host did not answer the last question in time
  std::uint64_t questions_ = 0;
  const bool reads_terminal_ = isatty(STDIN_FILENO) != 0;
  int sent_ = 0;              // of the presses of Ctrl-C, those that the host was told of
  bool wants_input_ = false;  // the entry waits for a line of the terminal
};

void AttachedPrompt::show(const Frame& frame) {
  const std::string_view payload = frame.payload;
  switch (frame.kind) {
    case Kind::Hello: host_ = attach::greeting_value(payload, "pid"); break;
    case Kind::Output: std::fwrite(payload.data(), 1, payload.size(), stdout); break;
    case Kind::ErrorOutput:
      std::fflush(stdout);
      std::fwrite(payload.data(), 1, payload.size(), stderr);
      break;
    case Kind::Text:
      if (payload.empty()) break;
      if (payload[0] == static_cast<char>(attach::TextKind::Error)) report_.error(payload.substr(1), true);
      else if (payload[0] == static_cast<char>(attach::TextKind::Note)) report_.note(payload.substr(1));
      else std::fwrite(payload.data() + 1, 1, payload.size() - 1, stdout), std::fputc('\n', stdout);
      break;
    case Kind::WantInput:
      wants_input_ = true;
      if (!reads_terminal_) give_input();
      break;
    case Kind::Answer: is_slow_ = false; break;  // a late one
    default: break;
  }
}

// Sends the next line of stdin. One of a terminal can be read by now. For others Ctrl-C may end the wait.
void AttachedPrompt::give_input() {
  wants_input_ = false;
  std::fflush(stdout);
  std::clearerr(stdin);
  char* line = nullptr;
  std::size_t capacity = 0;
  if (!reads_terminal_) sigprocmask(SIG_SETMASK, &unblocked_, nullptr);
  const ssize_t size = getline(&line, &capacity, stdin);
  sigset_t blocked = unblocked_;
  sigaddset(&blocked, SIGINT);
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  if (size >= 0 || presses == sent_) client_.send(Kind::Input, {line, static_cast<std::size_t>(size > 0 ? size : 0)});
  std::free(line);
}

void AttachedPrompt::take_ready(std::string_view payload) {
  if (payload.empty()) return;
  if (payload[0] == static_cast<char>(attach::Outcome::Failed)) has_failed_ = true;
  payload.remove_prefix(1);
  const std::size_t zero = std::min(payload.find('\0'), payload.size());
  prompt_ = payload.substr(0, zero);
  next_prompt_ = payload.substr(std::min(zero + 1, payload.size()));
}

// Shows what the host sends until it is ready for an entry. Ctrl-C interrupts the entry.
AttachedPrompt::Wait AttachedPrompt::wait_until_ready() {
  bool is_told = !is_interactive_ || has_begun_;
  sent_ = 0;
  wants_input_ = false;
  sigset_t blocked = unblocked_;
  sigaddset(&blocked, SIGINT);
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  Wait result = Wait::Closed;
  while (client_.is_open()) {
    if (presses > sent_) {
      sent_ = presses;
      if (sent_ >= kMostInterrupts || !has_begun_) {
        result = Wait::Left;
        break;
      }
      if (sent_ == kMostInterrupts - 1) report_.note("still running; Ctrl-C once more leaves the host to it");
      client_.send(Kind::Interrupt, "");
    }
    std::fflush(stdout);
    // While the entry waits for a line, it may also end, by a Ctrl-C that came earlier.
    std::optional<Frame> frame =
        client_.next(is_told ? -1 : kPatienceMs, &unblocked_, wants_input_ ? STDIN_FILENO : -1);
    if (!frame && wants_input_ && presses == sent_) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (poll(&input, 1, 0) > 0) give_input();
      continue;
    }
    if (!frame) {
      if (!is_told && client_.is_open() && presses == sent_) {
        report_.note(text("waiting until the host (process ", host_.empty() ? "unknown" : host_, ") polls its socket"));
        is_told = true;
      }
      continue;
    }
    if (frame->kind == Kind::Ready || frame->kind == Kind::Cancelled) {
      if (frame->kind == Kind::Ready) take_ready(frame->payload);
      else report_.error("interrupted before the host took the entry", true);
      result = Wait::Ready;
      break;
    }
    show(*frame);
  }
  sigprocmask(SIG_SETMASK, &unblocked_, nullptr);
  std::fflush(stdout);
  return result;
}

// The answer to a question about the text; nullopt if the host does not answer in time.
std::optional<std::string> AttachedPrompt::ask(Kind kind, std::string_view text, std::size_t cursor, int milliseconds) {
  const std::uint64_t number = ++questions_;
  std::string payload;
  attach::append_number(payload, number);
  attach::append_number(payload, cursor);
  payload += text;
  if (payload.size() > attach::kLongest || !client_.send(kind, payload)) return std::nullopt;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() < 0) break;
    std::optional<Frame> frame = client_.next(static_cast<int>(left.count()));
    if (!frame) {
      if (!client_.is_open()) break;
      continue;
    }
    std::string_view answer = frame->payload;
    if (frame->kind != Kind::Answer || attach::take_number(answer) != number) continue;
    is_slow_ = false;
    return std::string(answer);
  }
  is_slow_ = true;
  return std::nullopt;
}

Completion AttachedPrompt::complete(std::string_view text, std::size_t cursor) {
  Completion completion;
  const std::optional<std::string> answer = ask(Kind::Complete, text, cursor, kCompletionMs);
  if (!answer) return completion;
  std::string_view rest = *answer;
  const auto begin = attach::take_number(rest), end = attach::take_number(rest);
  if (!begin || !end || *begin > *end || *end > text.size()) return completion;
  completion.begin = static_cast<std::size_t>(*begin);
  completion.end = static_cast<std::size_t>(*end);
  while (!rest.empty()) {
    const std::size_t line = std::min(rest.find('\n'), rest.size());
    completion.words.emplace_back(rest.substr(0, line));
    rest.remove_prefix(std::min(line + 1, rest.size()));
  }
  return completion;
}

// A host that was slow once is not asked again at each key, until it has answered something.
std::string AttachedPrompt::signature(std::string_view text, std::size_t cursor) {
  if (is_slow_ || text.find_first_of("({") == std::string_view::npos) return "";
  return ask(Kind::Signature, text, cursor, kSignatureMs).value_or("");
}

int AttachedPrompt::leave(Wait how) {
  if (how == Wait::Left) {
    report_.note("left; the host goes on");
    return 128 + SIGINT;
  }
  const std::optional<std::string>& reason = client_.reason();
  if (reason && reason->empty()) return !is_interactive_ && has_failed_ ? EXIT_FAILURE : EXIT_SUCCESS;  // `quit`
  report_.error(reason ? *reason : "the host has ended");
  return EXIT_FAILURE;
}

int AttachedPrompt::run() {
  Wait waited = wait_until_ready();
  if (waited != Wait::Ready) return leave(waited);
  has_begun_ = true;
  if (is_interactive_) report_.note(text("attached to process ", host_, "; Ctrl-D leaves it"));
  const EntryHelp help = {
      .is_complete = [this](std::string_view entry) { return session_.is_complete(entry); },
      .complete = [this](std::string_view entry, std::size_t cursor) { return complete(entry, cursor); },
      .signature = [this](std::string_view entry, std::size_t cursor) { return signature(entry, cursor); },
  };
  // Between entries come late answers, or the host's end.
  const auto has_ended = [this] {
    while (client_.next(0)) is_slow_ = false;
    return !client_.is_open();
  };
  std::unique_ptr<EntryReader> reader =
      new_entry_reader(help, report_, ignores_environment_, client_.number(), has_ended);
  std::string entry;
  for (;;) {
    report_history(*reader, report_);
    presses = 0;  // those that come from here on are for the entry
    const bool shows = is_interactive_;
    const EntryReader::Outcome outcome = reader->read(shows ? prompt_ : "", shows ? next_prompt_ : "", entry);
    if (!client_.is_open()) return leave(Wait::Closed);
    if (outcome == EntryReader::Outcome::End) break;
    if (outcome == EntryReader::Outcome::Interrupted) {
      if (!is_interactive_) return 128 + SIGINT;
      continue;
    }
    if (entry.size() > attach::kLongest) {
      report_.error(text("the entry has ", entry.size(), " bytes, and a host takes at most ", attach::kLongest), true);
      has_failed_ = true;
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    client_.send(Kind::Run, entry);
    waited = wait_until_ready();
    if (waited != Wait::Ready) return leave(waited);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (is_interactive_ && took.count() > 1) {
      char line[64];
      std::snprintf(line, sizeof line, "took %.3g s", took.count());
      report_.note(line);
    }
  }
  if (is_interactive_) std::fputc('\n', stdout);
  return !is_interactive_ && has_failed_ ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int run_attach(const Options& options, const Report& report) {
  const int status = AttachedPrompt(options, report).run();
  if (std::fflush(stdout) == 0) return status;
  report.error(text("stdout: ", std::strerror(errno)));
  return EXIT_FAILURE;
}

}  // namespace lutra
