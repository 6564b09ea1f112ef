// The prompt, by lua's own rules: a line is tried as an expression first, then as a statement that may go on over
// lines.
#pragma once

#include <cstddef>

struct lua_State;

namespace lutra {

class Report;

// Reads lines of stdin. Lua errors pass through its users, so it is made outside of every Lua call.
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

// Until the end of stdin. Errors of the lines are reported and the session goes on; may raise what _PROMPT's own
// __tostring raises.
void run_repl(lua_State* L, LineReader& lines, const Report& report);

// The function and its `arguments` are on top of the stack: runs it as the program runs everything, interruptible and
// with a traceback added to its error.
int run_with_traceback(lua_State* L, int arguments, int results);

// Tells the error on top of the stack and pops it; nothing when status is LUA_OK. Returns status.
int report_status(lua_State* L, int status, const Report& report, bool in_session = false);

}  // namespace lutra
