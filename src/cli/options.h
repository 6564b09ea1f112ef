// The parsed command line: lua's own options exactly as lua reads them, and Lutra's long ones. Parsing has no effects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch_command.h"
#include "cli/plan_command.h"
#include "cli/plan_hosts_command.h"
#include "cli/serve_command.h"
#include "core/error.h"
#include "lua/bindings/terminal.h"
#include "lua/border/interpreter.h"

namespace lutra {

enum class Doctor { No, Text, Json };

// -e, -l and -W, which are carried out in the order in which they are written.
struct Action {
  enum Kind { Run, Require, WarningsOn };
  Kind kind;
  const char* text;  // the statement, or "module" or "global=module"
};

struct Options {
  InterpreterOptions interpreter;
  std::string log_file;  // of --log-placement=FILE; "" for stderr
  std::string trace;     // of --trace; "" if not given
  bool memory_growth = false;
  double memory_limit_mb = 0;  // of each visible GPU, or of each part of it; 0: not given
  int virtual_gpus = 0;        // parts of each visible GPU; 0: not given
  bool strict = false;
  bool sandbox = false;  // --sandbox, whose limits are in `interpreter`
  bool no_init = false;
  Color color = Color::Auto;
  Doctor doctor = Doctor::No;    // the subcommand, in place of a script
  std::string attach_path;       // of `attach`; "" if not given
  bool installs_kernel = false;  // `kernel install`
  std::string kernel_prefix;     // of its --prefix; "" for the user's own folder
  PlanCommand plan;              // `plan`
  PlanHostsCommand plan_hosts;   // `plan-hosts`
  LaunchCommand launch;          // `launch`
  ServeCommand serve;            // `serve`
  bool show_help = false;        // --help and --version: print and exit
  bool show_version = false;
  bool show_ops = false;       // --ops and --completion as well
  std::string completion;      // the shell; "" if not given
  bool show_banner = false;    // -v and -i: print and continue
  bool interactive = false;    // -i: a prompt after the script
  bool has_statement = false;  // -e was given
  std::vector<Action> actions;
  int script = 0;      // its index in argv, or argc
  std::string module;  // of -m, found at argv[script]; "" without -m
};

// A wrong command line: what() names the first wrong word.
class UsageError : public Error {
 public:
  explicit UsageError(std::string message) : Error(ErrorCode::InvalidArgument, std::move(message)) {}
};

// A word of the command line: "--name=value" as name and value, any other without a value.
struct OptionWord {
  std::string_view word;
  std::optional<std::string_view> value;
};
OptionWord split_option(std::string_view word);

// Throws UsageError.
Options parse_options(int argc, char** argv);

constexpr const char* kUsage = "usage: lutra [options] [script [args]]\n";
// Every option with its line of help.
std::string help_text();

}  // namespace lutra
