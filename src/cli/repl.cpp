#include "cli/repl.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cli/interrupt.h"
#include "cli/report.h"
#include "core/environment.h"
#include "core/text.h"
#include "lua/border/interpreter.h"
#include "lua/border/state.h"
#include "repl/editor/editor.h"
#include "repl/editor/history.h"
#include "repl/plain_reader.h"

namespace lutra {
namespace {

// $XDG_CONFIG_HOME/lutra/init.lua, else in ~/.config; "" if there is none.
std::string init_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  if (config != nullptr && *config == '/') folder = config;
  else if (home != nullptr && *home != '\0') folder = text(home, "/.config");
  else return "";
  std::string path = text(folder, "/lutra/init.lua");
  return access(path.c_str(), F_OK) == 0 ? path : "";
}

}  // namespace

bool is_interactive_terminal() { return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0; }

// The one place that chooses how entries are read.
std::unique_ptr<EntryReader> new_entry_reader(const EntryHelp& help, const Report& report, bool ignores_environment,
                                              int watched, std::function<bool()> on_watched) {
  if (!is_interactive_terminal() || environment_variable("TERM").empty() || environment_variable("TERM") == "dumb") {
    return std::make_unique<PlainReader>(help.is_complete);
  }
  return std::make_unique<Editor>(Editor::Options{
      .history_path = default_history_path(ignores_environment),
      .help = help,
      .colours = report.has_colors(),
      .keys =
          !ignores_environment && environment_variable("LUTRA_KEYS") == "vi" ? Editor::Keys::Vi : Editor::Keys::Emacs,
      .watched = watched,
      .on_watched = std::move(on_watched),
  });
}

void report_history(EntryReader& reader, const Report& report) {
  auto* editor = dynamic_cast<Editor*>(&reader);
  if (editor == nullptr) return;
  if (std::string problem = editor->take_message(); !problem.empty()) report.error(problem, true);
}

Prompt::Prompt(Interpreter& interpreter, const Report& report, bool ignores_environment)
    : report_(report),
      ignores_environment_(ignores_environment),
      is_interactive_(is_interactive_terminal()),
      session_(interpreter.lua(), {.user = this,
                                   .show = show,
                                   .call = interruptible_entry,
                                   .is_interactive = is_interactive_,
                                   .is_terminal = is_interactive_}),
      help_(session_.help()) {}

void Prompt::show(void* user, SessionHost::Text kind, std::string_view text) {
  const Report& report = static_cast<const Prompt*>(user)->report_;
  switch (kind) {
    case SessionHost::Text::Error: report.error(text, true); break;
    case SessionHost::Text::Note: report.note(text); break;
    case SessionHost::Text::Output: std::fwrite(text.data(), 1, text.size(), stdout); std::fputc('\n', stdout);
  }
}

void Prompt::log(void* user, std::string_view line) {
  const Report& report = static_cast<const Prompt*>(user)->report_;
  if (line.starts_with("WARNING: ")) report.error(line, true);
  else report.note(line);
}

void Prompt::run_init() {
  const std::string path = init_file();
  if (!path.empty()) session_.run(text(":load ", path));
}

void Prompt::run() {
  std::unique_ptr<EntryReader> reader = new_entry_reader(help_, report_, ignores_environment_);
  std::string entry;
  std::optional<IdleInterrupts> idle;
  if (is_interactive_) idle.emplace();
  for (;;) {
    report_history(*reader, report_);
    const std::string first = session_.prompt(true), next = session_.prompt(false);
    if (idle) idle->forget();
    const EntryReader::Outcome outcome = reader->read(first, next, entry);
    if (outcome == EntryReader::Outcome::End) break;
    if (outcome == EntryReader::Outcome::Entry && session_.run(entry) == Session::Outcome::Quit) return session_.end();
  }
  session_.end();
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

}  // namespace lutra
