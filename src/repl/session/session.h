// Runs entries in one interpreter, for any front end: the terminal (src/cli), a socket, a notebook. The front end reads
// entries, shows texts and makes signals stop Lua; the session knows the rest: what an entry means, which locals
// persist, commands, completion. Most of it is Lua (lua/lutra/repl), loaded on demand.
#pragma once

#include <string>
#include <string_view>

#include "repl/entry_reader.h"

struct lua_State;

namespace lutra {

// What a front end provides. The functions must not raise Lua errors.
struct SessionHost {
  void* user = nullptr;
  enum class Text { Output, Note, Error };
  // Shows whole lines. Results of entries do not come here: the global print writes them.
  void (*show)(void* user, Text kind, std::string_view text) = nullptr;
  // lua_pcall that the user can interrupt.
  int (*call)(lua_State* L, int arguments, int results, int handler) = nullptr;
  // Commands, locals that persist, `_` and listings. Otherwise an entry means what lua makes of it, except that tables
  // with tensors are listed.
  bool is_interactive = false;
  // Another program, an editor, may use the terminal; long entries say how long they took.
  bool is_terminal = false;
  // Shows a value in one of several forms: `bundle` is a JSON object of texts by MIME type, "text/plain" among them.
  // is_result: it is what the entry gives. Null: results are printed.
  void (*display)(void* user, bool is_result, std::string_view bundle) = nullptr;
};

// Its functions raise no Lua errors. Create it outside of Lua calls; it must not move while it is in use.
class Session {
 public:
  enum class Outcome { Ok, Failed, Quit };

  Session(lua_State* L, const SessionHost& host);
  Session(const Session&) = delete;

  // Runs an entry, prints its results, reports its error.
  Outcome run(std::string_view entry);
  // Ends what lasts longer than an entry: the scope of :device, the log of :log, the locals.
  void end();
  // Whether Lua would not read on after this text.
  bool is_complete(std::string_view text);
  // These run no code of the user and call no metamethod. Positions are bytes.
  Completion complete(std::string_view text, std::size_t cursor);
  std::string signature(std::string_view text, std::size_t cursor);
  // What is known about the name at the cursor; "" if nothing.
  std::string inspect(std::string_view text, std::size_t cursor);
  // The text of the global _PROMPT or _PROMPT2. Calls its __tostring.
  std::string prompt(bool is_first);
  // The same functions for a reader.
  EntryHelp help();

 private:
  Outcome run_on_stack(std::string_view entry);
  void print_results(int count);
  void end_entry(bool ok, double seconds);
  void report(const char* format);
  void show(SessionHost::Text kind, std::string_view text);
  int call(int arguments, int results, int handler);
  void push_method(const char* name);
  bool ask(const char* method, std::string_view text, std::size_t cursor, int results, bool runs_code = false);
  std::string ask_text(const char* method, std::string_view text, std::size_t cursor);
  static int handle_error(lua_State* L);

  lua_State* L_;
  SessionHost host_;
  int object_ = 0;  // the Lua object's reference in the registry; 0: not loaded yet
};

}  // namespace lutra
