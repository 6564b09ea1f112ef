// The interpreter as the files of this folder see it.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "core/error.h"
#include "embed/home.h"
#include "embed/lutra.h"
#include "lua/border/interpreter.h"
#include "lua/border/interrupts.h"
#include "lua/border/state.h"

namespace lutra::embed {

// The last failure: what lutra_error and its relatives give.
struct Failure {
  std::string text, message, traceback;
  char code[24] = "";
};

}  // namespace lutra::embed

struct lutra_t {
  lua_State* L = nullptr;  // the main thread, or the coroutine that has called the host's function
  lutra::State* state = nullptr;
  lutra::Interrupts* interrupts = nullptr;
  lutra::embed::Home* home = nullptr;
  std::unique_ptr<lutra::Interpreter> interpreter;  // null: attached to the host's lua_State
  bool in_function = false;                         // inside a host's function, which may use the interpreter
  int depth = 0;                                    // of calls from the host
  int listener = -2;                                // of lutra_listen, in Lua's registry; LUA_NOREF: none
  lutra::Limits own_limits;                         // of an attached lutra_t: a deadline
  lutra::Limits& limits() { return interpreter != nullptr ? interpreter->limits() : own_limits; }
  std::string callback_failure;  // lutra_fail's
  lutra::embed::Failure failure;

  lutra::embed::LiveMark live;

  void (*print)(void* user, const char* text, size_t size) = nullptr;
  void* print_user = nullptr;
  void (*log)(void* user, const char* line, size_t size) = nullptr;
  void* log_user = nullptr;

  lutra_t() = default;
  lutra_t(const lutra_t&) = delete;
  ~lutra_t();
};

namespace lutra::embed {

// Remembers the exception in flight as the last failure of this thread and, if not null, of the lutra_t. Returns
// LUTRA_ERROR.
int remember_exception(lutra_t* lutra) noexcept;
// The same for a Lua error whose text, with its traceback, is on top of the stack; pops it. The code is in
// failure.code.
int remember_lua_error(lutra_t& lutra, int status) noexcept;
// For calls that are refused: only the thread remembers.
int refuse(const char* who, const char* why, ErrorCode code = ErrorCode::FailedPrecondition) noexcept;

// Runs body(), which may throw. Returns the status.
template <class Body> int attempt(lutra_t* lutra, const Body& body) noexcept {
  try {
    body();
    return LUTRA_OK;
  } catch (...) {
    return remember_exception(lutra);
  }
}

// The use of an interpreter for one call.
class Use {
 public:
  // `nested`: also inside a host's function. Waits for the turn of an interpreter whose Runtime is shared.
  Use(lutra_t* lutra, const char* who, bool nested = false) noexcept;
  ~Use() {
    if (has_turn_) home_->turns()->leave();
    if (entered_) home_->leave();
  }
  Use(const Use&) = delete;
  explicit operator bool() const { return allowed_; }

 private:
  void take_turn(lutra_t& lutra, const char* who) noexcept;
  Home* home_ = nullptr;
  bool entered_ = false, has_turn_ = false, allowed_ = false;
};

// Calls body() while this thread uses the interpreter; body may throw and must leave Lua's stack as it was.
template <class Body> int attempt_on(lutra_t* lutra, const char* who, bool nested, const Body& body) noexcept {
  Use use(lutra, who, nested);
  if (!use) return LUTRA_ERROR;
  return attempt(lutra, body);
}

// Calls the function below its `arguments` on L's stack, which can be interrupted and has a deadline. Returns the
// status; on failure nothing is left on the stack and the failure is remembered.
int run_protected(lutra_t& lutra, int arguments, int results) noexcept;
// The same without interrupts, for the border's own work.
int call_protected(lutra_t& lutra, lua_CFunction function, void* frame) noexcept;

// Makes Lua's side find the lutra_t. Throws without memory.
void remember_host(lutra_t& lutra);
lutra_t* host_of(lua_State* L);
// Long work of ops asks for interrupts.
void watch_interrupts(lutra_t& lutra);

// `turns`: those of options->runtime, or null.
InterpreterOptions read_options(const lutra_options* given, const char* who, std::shared_ptr<Turns>* turns);
// A Runtime by the options that belong to it, which interpreters may share. Throws.
std::shared_ptr<Runtime> new_runtime(const lutra_options* options);
// Sends the log to the lutra_t's function, or to stderr if it has none.
void show_log(lutra_t& lutra, Log& log);

}  // namespace lutra::embed
