#include "cli/program.h"

#include <unistd.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cli/interrupt.h"
#include "cli/strict.h"
#include "core/version.h"
#include "hosts/cluster.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

// Calls the function on top of the stack with its `arguments`: interruptible, and with a traceback added to an error.
// All Lua code runs by it, but entries at the prompt.
int run_with_traceback(lua_State* L, int arguments, int results) {
  int handler = lua_gettop(L) - arguments;
  lua_pushcfunction(L, traceback_handler);
  lua_insert(L, handler);
  int status = interruptible_call(L, arguments, results, handler);
  lua_remove(L, handler);
  return status;
}

// Runs the function that a load left on the stack. If the load failed, leaves its error message there.
int run_loaded(lua_State* L, int load_status) {
  return load_status == LUA_OK ? run_with_traceback(L, 0, 0) : load_status;
}

// Pushes the script's arguments from the global arg, which -e may have changed. Returns how many.
int push_arguments(lua_State* L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE) luaL_error(L, "'arg' is not a table");
  int table = lua_gettop(L);
  lua_Integer count = luaL_len(L, table);
  if (count > 0 && (count > INT_MAX || lua_checkstack(L, static_cast<int>(count) + 3) == 0)) {
    luaL_error(L, "too many arguments to script");
  }
  for (lua_Integer i = 1; i <= count; ++i) lua_rawgeti(L, table, i);
  lua_remove(L, table);
  return count > 0 ? static_cast<int>(count) : 0;
}

}  // namespace

const char* version_line() { return "Lutra " LUTRA_VERSION ", " LUA_RELEASE; }
const char* greeting() { return "Lutra " LUTRA_VERSION ", " LUA_RELEASE "; lt.help() tells what there is"; }

Program::Program(const Options& options, const Report& report, int argc, char** argv)
    : options_(options),
      report_(report),
      argc_(argc),
      argv_(argv),
      interpreter_(options.interpreter),
      prompt_(interpreter_, report, options.interpreter.ignore_environment) {
  if (!options.log_file.empty()) {
    log_file_.emplace(options.log_file);
    interpreter_.set_log(LogFile::write, &*log_file_);
  }
  lua_setwarnf(interpreter_.lua(), Warnings::warn, &warnings_);
  configure_gpus();
  start_trace();
}

void Program::start_trace() {
  if (options_.trace.empty()) return;
  std::string command = !options_.module.empty()  ? text("-m ", options_.module)
                        : options_.script < argc_ ? std::string(argv_[options_.script])
                                                  : std::string();
  trace_.emplace("--trace", State::find(interpreter_.lua())->context(), options_.trace, std::move(command), nullptr);
}

bool Program::end_trace(bool waits) {
  if (!trace_) return true;
  try {
    trace_->finish(waits);
    return true;
  } catch (const std::exception& error) {
    report_.error(error.what());
    return false;
  }
}

// --memory-growth, --memory-limit and --virtual-gpus set for every visible GPU what lutra.config sets for one.
void Program::configure_gpus() {
  bool has_limits = options_.memory_limit_mb > 0 || options_.virtual_gpus > 0;
  if (!options_.memory_growth && !has_limits) return;
  DeviceRegistry& registry = State::find(interpreter_.lua())->runtime().registry();
  std::vector<Device*> gpus = registry.visible(DeviceType::GPU);
  require(!gpus.empty() || options_.virtual_gpus == 0,
          "'--virtual-gpus': there is no GPU here to split; --sim-gpus 1 makes a simulated one");
  for (Device* gpu : gpus) {
    if (options_.memory_growth) registry.set_memory_growth(*gpu, true);
    if (!has_limits) continue;
    int parts = options_.virtual_gpus > 0 ? options_.virtual_gpus : 1;
    double share_mb = std::floor(static_cast<double>(gpu->memory().free_bytes) / (1 << 20) / parts);
    double limit_mb = options_.memory_limit_mb > 0 ? options_.memory_limit_mb : share_mb;
    registry.set_logical_configuration(*gpu, std::vector<LogicalDeviceConfig>(parts, LogicalDeviceConfig{limit_mb}));
  }
}

// The ranks of a launch meet before the script runs, so that one that hangs in its first line is noticed too. Without
// MPI the script runs until it needs the others.
void Program::start_ranks() {
  const std::optional<RankLaunch> launch = find_launch();
  std::string why;
  if (launch && open_mpi_plugin(&why) != nullptr) Cluster::start(*launch);
}

bool Program::run() {
  start_ranks();
  lua_State* L = interpreter_.lua();
  lua_pushcfunction(L, run_protected);
  lua_pushlightuserdata(L, this);
  bool ok = succeeded(L, lua_pcall(L, 1, 1, 0)) && lua_toboolean(L, -1) != 0;
  lua_settop(L, 0);
  // An interrupted or failed script does not wait for its queued work.
  ok = end_trace(ok) && ok;
  ok = ok && (!log_file_ || log_file_->is_whole());
  std::fflush(stdout);
  if (Cluster* cluster = Cluster::running()) cluster->end(!ok);
  return ok;
}

int Program::run_protected(lua_State* L) {
  Program& program = *static_cast<Program*>(lua_touserdata(L, 1));
  bool ok = program.run_all(L);
  lua_pushboolean(L, ok);
  return 1;
}

bool Program::run_all(lua_State* L) {
  bool has_script = options_.script < argc_;
  if (options_.show_banner) std::printf("%s\n", options_.interactive ? greeting() : version_line());
  set_arg_table(L);
  if (options_.strict) open_strict(L);
  if (!run_init(L) || !run_actions(L)) return false;
  if (has_script && !run_script(L)) return false;
  if (options_.interactive) {
    run_prompt();
  } else if (!has_script && !options_.has_statement && !options_.show_banner) {
    if (options_.sandbox && isatty(STDIN_FILENO) != 0) {
      report_.error("'--sandbox' needs a script: lutra --sandbox script.lua");
      return false;
    }
    if (isatty(STDIN_FILENO) == 0)
      return succeeded(L, run_loaded(L, luaL_loadfilex(L, nullptr, interpreter_.chunk_mode())));
    std::printf("%s\n", greeting());
    run_prompt();
  }
  return true;
}

void Program::run_prompt() {
  const bool has_init = prompt_.is_interactive() && !options_.interpreter.ignore_environment && !options_.no_init;
  if (has_init) prompt_.run_init();
  // --log-placement=FILE has the log already.
  if (prompt_.is_interactive() && !log_file_) interpreter_.set_log(Prompt::log, &prompt_);
  prompt_.run();
  if (!log_file_) interpreter_.set_log(nullptr, nullptr);  // the prompt goes before the interpreter
}

bool Program::succeeded(lua_State* L, int status) const {
  if (status == LUA_OK) return true;
  const char* message = lua_tostring(L, -1);
  if (message == nullptr) message = "(error object is not a string)";
  report_.error(message);
  if (Cluster* cluster = Cluster::running()) cluster->note_failure(message);
  lua_pop(L, 1);
  return false;
}

// arg[0] is the script, and words before it have negative indices; without a script arg[0] is the program.
void Program::set_arg_table(lua_State* L) {
  int zero = options_.script < argc_ ? options_.script : 0;
  lua_createtable(L, argc_ - zero, zero + 1);
  for (int i = 0; i < argc_; ++i) {
    lua_pushstring(L, argv_[i]);
    lua_rawseti(L, -2, i - zero);
  }
  lua_setglobal(L, "arg");
}

bool Program::run_init(lua_State* L) {
  if (options_.interpreter.ignore_environment || options_.no_init || options_.sandbox) return true;
  const char* name = "=LUA_INIT" LUA_VERSUFFIX;
  const char* init = std::getenv(name + 1);
  if (init == nullptr) {
    name = "=LUA_INIT";
    init = std::getenv(name + 1);
  }
  if (init == nullptr) return true;
  if (init[0] != '@') return run_statement(L, init, name);
  return succeeded(L, run_loaded(L, luaL_loadfilex(L, init + 1, nullptr)));
}

bool Program::run_actions(lua_State* L) {
  for (const Action& action : options_.actions) {
    switch (action.kind) {
      case Action::Run:
        if (!run_statement(L, action.text, "=(command line)")) return false;
        break;
      case Action::Require:
        if (!require_module(L, action.text)) return false;
        break;
      case Action::WarningsOn: lua_warning(L, "@on", 0); break;
    }
  }
  return true;
}

bool Program::run_statement(lua_State* L, const char* statement, const char* chunk_name) {
  return succeeded(
      L, run_loaded(L, luaL_loadbufferx(L, statement, std::strlen(statement), chunk_name, interpreter_.chunk_mode())));
}

bool Program::require_module(lua_State* L, const char* text) {
  const char* equals = std::strchr(text, '=');
  const char* module = equals != nullptr ? equals + 1 : text;
  // The global's name is kept on the stack below the call.
  if (equals != nullptr) lua_pushlstring(L, text, static_cast<std::size_t>(equals - text));
  else lua_pushstring(L, text);
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  int status = run_with_traceback(L, 1, 1);
  if (status == LUA_OK) {
    const char* global = lua_tostring(L, -2);
    lua_setglobal(L, global);
  }
  bool ok = succeeded(L, status);
  lua_pop(L, 1);
  return ok;
}

// Pushes the name of the file that require would load the module of -m from. Reports an error if there is none.
bool Program::find_module(lua_State* L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchpath");
  lua_pushstring(L, options_.module.c_str());
  lua_getfield(L, -3, "path");
  lua_remove(L, -4);
  int status = run_with_traceback(L, 2, 2);
  if (!succeeded(L, status)) return false;
  if (!lua_isnil(L, -2)) {
    lua_pop(L, 1);
    return true;
  }
  lua_pushfstring(L, "'-m': module '%s' not found:%s%s", options_.module.c_str(),
                  *lua_tostring(L, -1) == '\n' ? "" : "\n\t", lua_tostring(L, -1));
  return succeeded(L, LUA_ERRRUN);
}

bool Program::run_script(lua_State* L) {
  const char* name = argv_[options_.script];
  if (!options_.module.empty()) {
    if (!find_module(L)) return false;
    name = lua_tostring(L, -1);
    // arg[0] becomes the file.
    if (lua_getglobal(L, "arg") == LUA_TTABLE) {
      lua_pushvalue(L, -2);
      lua_rawseti(L, -2, 0);
    }
    lua_pop(L, 1);
  }
  // "-" is stdin, but after "--" a file's name.
  bool is_stdin = options_.module.empty() && std::strcmp(name, "-") == 0;
  if (is_stdin && std::strcmp(argv_[options_.script - 1], "--") != 0) name = nullptr;
  int status = luaL_loadfilex(L, name, interpreter_.chunk_mode());
  if (status == LUA_OK) {
    const int below = lua_gettop(L) - 1;
    int count = push_arguments(L);
    status = run_with_traceback(L, count, LUA_MULTRET);
    if (status == LUA_OK && options_.plan_hosts.script != 0) {
      lua_settop(L, below + 2);
      count = push_prediction(L, options_.plan_hosts);
      status = run_with_traceback(L, count, 0);
    }
    if (status == LUA_OK) return true;
  }
  return succeeded(L, status);
}

}  // namespace lutra
