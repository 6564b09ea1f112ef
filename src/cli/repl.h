// The prompt, by lua's own rules: a line is tried as an expression first, then as a statement, which may continue on
// further lines.
#pragma once

#include <cstddef>

struct lua_State;

namespace lutra {

class Report;

// Reads lines from stdin. Lua errors jump over the functions that use it, so it is created outside of every Lua call.
class LineReader {
 public:
  LineReader() = default;
  ~LineReader();
  LineReader(const LineReader&) = delete;

  // The next line without its newline; null at the end. Valid until the next call.
  const char* next(const char* prompt);

 private:
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

// Runs until the end of stdin. Errors in the lines are reported and the session continues. May raise what the
// __tostring of _PROMPT raises.
void run_repl(lua_State* L, LineReader& lines, const Report& report);

// Calls the function on top of the stack with its `arguments`: interruptible, and with a traceback added to an error.
// The program runs all Lua code by it.
int run_with_traceback(lua_State* L, int arguments, int results);

// Reports the error on top of the stack and pops it; does nothing if status is LUA_OK. Returns status.
int report_status(lua_State* L, int status, const Report& report, bool in_session = false);

}  // namespace lutra
