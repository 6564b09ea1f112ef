// The prompt in a terminal or on a pipe: reads entries, gives them to a Session, shows what it says.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "repl/session/session.h"

namespace lutra {

class Interpreter;
class Report;

// The editor in a terminal, plain lines elsewhere. ignores_environment: LUTRA_HISTORY and LUTRA_KEYS count as unset.
// watched, on_watched: as in Editor::Options.
std::unique_ptr<EntryReader> new_entry_reader(const EntryHelp& help, const Report& report, bool ignores_environment,
                                              int watched = -1, std::function<bool()> on_watched = nullptr);
// Reports what was wrong with the editor's history, once.
void report_history(EntryReader& reader, const Report& report);
// Whether stdin and stdout are terminals.
bool is_interactive_terminal();

class Prompt {
 public:
  // ignores_environment: LUTRA_HISTORY and LUTRA_KEYS count as unset.
  Prompt(Interpreter& interpreter, const Report& report, bool ignores_environment);
  Prompt(const Prompt&) = delete;

  // In a terminal: commands, locals that persist. Elsewhere the prompt does what lua's does.
  bool is_interactive() const { return is_interactive_; }
  // Runs the user's init.lua, if there is one.
  void run_init();
  // Runs until the end of input, or `exit`.
  void run();
  // A LogSink; `user` is the Prompt.
  static void log(void* user, std::string_view line);

 private:
  static void show(void* user, SessionHost::Text kind, std::string_view text);
  const Report& report_;
  const bool ignores_environment_;
  const bool is_interactive_;
  Session session_;
  const EntryHelp help_;
};

}  // namespace lutra
