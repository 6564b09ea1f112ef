// The program, once its options are read: what runs, in which order, and with which exit status.
#pragma once

#include <optional>

#include "cli/options.h"
#include "cli/repl.h"
#include "cli/report.h"
#include "lua/border/interpreter.h"

namespace lutra {

class Program {
 public:
  // Throws Error when the options cannot be had here.
  Program(const Options& options, const Report& report, int argc, char** argv);

  // False when something failed; that has been told then.
  bool run();

 private:
  void configure_gpus();

  // These run inside one protected call, so that no C++ object is alive in their frames when Lua raises an error. Each
  // returns whether to go on.
  static int run_protected(lua_State* L);
  bool run_all(lua_State* L);
  void set_arg_table(lua_State* L);
  bool run_init(lua_State* L);
  bool run_actions(lua_State* L);
  bool run_script(lua_State* L);
  bool find_module(lua_State* L);
  bool run_statement(lua_State* L, const char* statement, const char* chunk_name);
  bool require_module(lua_State* L, const char* text);
  bool succeeded(lua_State* L, int status) { return report_status(L, status, report_) == 0; }

  const Options& options_;
  const Report& report_;
  int argc_;
  char** argv_;
  std::optional<LogFile> log_file_;
  Warnings warnings_;
  LineReader lines_;
  Interpreter interpreter_;  // the last: it is closed while the log and the warnings still have their places
};

// "Lutra 0.1.0, Lua 5.4.4"
const char* version_line();
// How the prompt begins: that line, and where to ask.
const char* greeting();

}  // namespace lutra
