// An interpreter of Lutra's own: a lua_State with its memory, the standard libraries, and the globals lutra and lt. The
// program and the embedding library stand on it and do not touch Lua otherwise.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/log.h"

struct lua_State;

namespace lutra {

// What a host or the command line says before the first script runs.
struct InterpreterOptions {
  std::optional<int> sim_gpus;  // none: what LUTRA_SIM_GPUS says
  double sim_gpu_mb = 4096;
  bool log_placement = false;
  bool soft_placement = false;
  std::string device;               // a scope around everything; "" for none
  bool ignore_environment = false;  // lua's -E
};

class Interpreter {
 public:
  // Fails when there is no memory, or for options that make no sense.
  explicit Interpreter(const InterpreterOptions& options);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;

  lua_State* lua() { return L_; }

  // Runs a chunk; the error's text with its traceback, or nothing when all went well.
  std::optional<std::string> run_string(std::string_view chunk, const char* chunk_name);
  std::optional<std::string> run_file(const char* path);

  // print() goes there instead of stdout; a line with its newline. Null: back to stdout.
  void set_print(void (*print)(void* user, const char* text, std::size_t size), void* user);
  void print_text(const char* text, std::size_t size);
  // Placement log and warnings.
  void set_log(LogSink sink, void* user);

 private:
  struct Impl;
  void open_scope(const std::string& device);
  std::optional<std::string> run(int status);

  std::unique_ptr<Impl> impl_;
  lua_State* L_ = nullptr;
};

// The message handler of lutra's own runs: an error object's text with its traceback, a string with one added. For
// lua_pcall's msgh.
int traceback_handler(lua_State* L);

}  // namespace lutra
