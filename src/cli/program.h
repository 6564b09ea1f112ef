// The program after its options are parsed: what runs, in which order, and with which exit status.
#pragma once

#include <optional>

#include "cli/options.h"
#include "cli/repl.h"
#include "cli/report.h"
#include "lua/border/interpreter.h"
#include "profile/save.h"

namespace lutra {

class Program {
 public:
  // Throws Error if the options cannot be satisfied on this machine.
  Program(const Options& options, const Report& report, int argc, char** argv);

  // False if something failed, which has then been reported.
  bool run();
  // Whether the script passed a limit of --sandbox.
  bool has_passed_limit() { return interpreter_.limits().passed() != Limits::Kind::None; }

 private:
  void configure_gpus();
  void start_ranks();
  void start_trace();
  // Writes it. False if that failed, which has then been reported.
  bool end_trace(bool waits);

  // These run inside one protected call, so that no C++ object is alive in their frames when Lua raises an error. Each
  // returns whether to continue.
  static int run_protected(lua_State* L);
  bool run_all(lua_State* L);
  void set_arg_table(lua_State* L);
  bool run_init(lua_State* L);
  void run_prompt();
  bool run_actions(lua_State* L);
  bool run_script(lua_State* L);
  bool find_module(lua_State* L);
  bool run_statement(lua_State* L, const char* statement, const char* chunk_name);
  bool require_module(lua_State* L, const char* text);
  // Whether a call succeeded. If not, reports the error on top of the stack, and pops it.
  bool succeeded(lua_State* L, int status) const;

  const Options& options_;
  const Report& report_;
  int argc_;
  char** argv_;
  std::optional<LogFile> log_file_;
  Warnings warnings_;
  Interpreter interpreter_;  // closing it may still write to the log and the warnings
  Prompt prompt_;
  std::optional<ExitTrace> trace_;  // of --trace
};

// "Lutra 0.1.0, Lua 5.4.4"
const char* version_line();
// Printed before the first prompt: that line, and how to get help.
const char* greeting();

}  // namespace lutra
