// An interpreter: a lua_State with its memory, the standard libraries, and the globals lutra and lt. The program and
// the embedding library use Lua only through it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "lua/border/limits.h"

struct lua_State;

namespace lutra {

class Runtime;

// Settings that a host or the command line makes before the first script runs.
struct InterpreterOptions {
  std::optional<int> sim_gpus;  // nullopt: the value of LUTRA_SIM_GPUS
  double sim_gpu_mb = 4096;
  bool log_placement = false;
  bool soft_placement = false;
  std::string device;               // a scope around everything; "" for none
  bool ignore_environment = false;  // lua's -E

  // A Runtime that is shared with other interpreters: sim_gpus, sim_gpu_mb, soft_placement and tensor_memory_mb are
  // then not used. Null: one of its own.
  std::shared_ptr<Runtime> runtime;

  LimitOptions limits;
  // Scripts are not trusted: they can use less of Lua's libraries, and open only files in allowed_paths (AllowedPaths).
  bool is_sandbox = false;
  std::vector<std::string> allowed_paths;
};

class Interpreter {
 public:
  // Fails if memory runs out or the options are invalid.
  explicit Interpreter(const InterpreterOptions& options);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;

  lua_State* lua() { return L_; }
  Limits& limits();
  // "t" or null, for luaL_load*.
  const char* chunk_mode() const;

  // Runs a chunk. Returns the error message with its traceback, or nullopt on success.
  std::optional<std::string> run_string(std::string_view chunk, const char* chunk_name);
  std::optional<std::string> run_file(const char* path);

  // Sends print() to `print` instead of stdout, newlines included. Null: to stdout again.
  void set_print(void (*print)(void* user, const char* text, std::size_t size), void* user);
  void print_text(const char* text, std::size_t size);
  // Where the placement log and warnings go.
  void set_log(LogSink sink, void* user);

 private:
  struct Impl;
  void set_limits(const InterpreterOptions& options);
  void open_scope(const std::string& device);
  std::optional<std::string> run(int status);

  std::unique_ptr<Impl> impl_;
  lua_State* L_ = nullptr;
};

// Applies the options that belong to a Runtime. Fails (InvalidArgument) with the field that is wrong.
void apply(const InterpreterOptions& options, Runtime& runtime);

// A message handler for lua_pcall: turns an error object or a string into its text with a traceback.
int traceback_handler(lua_State* L);

}  // namespace lutra
