#include "cli/repl.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/interrupt.h"
#include "cli/report.h"
#include "lua/border/interpreter.h"
#include "lua/border/lua_sources.h"
#include "lua/border/state.h"

namespace lutra {
namespace {

constexpr const char* kChunkName = "=stdin";

// Pushes the prompt and returns it.
const char* push_prompt(lua_State* L, bool first) {
  if (lua_getglobal(L, first ? "_PROMPT" : "_PROMPT2") == LUA_TNIL) return lua_pushstring(L, first ? "> " : ">> ");
  return luaL_tolstring(L, -1, nullptr);
}

// Pushes the next line, or nothing at the end.
bool push_line(lua_State* L, LineReader& lines, bool first) {
  int top = lua_gettop(L);
  const char* line = lines.next(push_prompt(L, first));
  lua_settop(L, top);
  if (line == nullptr) return false;
  if (first && line[0] == '=') lua_pushfstring(L, "return %s", line + 1);  // as Lua 5.1 had it
  else lua_pushstring(L, line);
  return true;
}

int load(lua_State* L, int at) {
  std::size_t size;
  const char* chunk = lua_tolstring(L, at, &size);
  return luaL_loadbufferx(L, chunk, size, kChunkName, "t");
}

// Whether the error on top only says that the chunk is incomplete.
bool is_incomplete(lua_State* L, int status) {
  if (status != LUA_ERRSYNTAX) return false;
  std::size_t size;
  const char* message = lua_tolstring(L, -1, &size);
  constexpr std::size_t kMark = sizeof "<eof>" - 1;
  return size >= kMark && std::strcmp(message + size - kMark, "<eof>") == 0;
}

// Reads one chunk into an otherwise empty stack: its function, or an error message. False at the end of input.
bool read_chunk(lua_State* L, LineReader& lines, int* status) {
  lua_settop(L, 0);
  if (!push_line(L, lines, true)) return false;
  lua_pushfstring(L, "return %s;", lua_tostring(L, 1));
  *status = load(L, 2);
  if (*status == LUA_OK) {
    lua_replace(L, 1);
    lua_settop(L, 1);
    return true;
  }
  for (;;) {
    lua_settop(L, 1);
    *status = load(L, 1);
    if (!is_incomplete(L, *status) || !push_line(L, lines, false)) break;
    lua_remove(L, 2);  // the message
    lua_pushliteral(L, "\n");
    lua_insert(L, 2);
    lua_concat(L, 3);
  }
  lua_replace(L, 1);
  lua_settop(L, 1);
  return true;
}

// Replaces the values on the stack by the texts that the prompt shows for them (lua/lutra/listing.lua).
void show_listings(lua_State* L) {
  const LuaSource* source = kLuaSources;
  while (std::strcmp(source->name, "lutra.listing") != 0) ++source;
  if (luaL_loadbufferx(L, source->text, source->size, "=[lutra.listing]", "t") != LUA_OK) lua_error(L);
  lua_call(L, 0, 1);
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
}

// print_shown(...): prints the values with the global print.
int print_shown(lua_State* L) {
  bool has_table = false;
  for (int i = 1; i <= lua_gettop(L); ++i) has_table |= lua_type(L, i) == LUA_TTABLE;
  if (has_table) show_listings(L);
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

// Prints all values on the stack with the global print.
void print_results(lua_State* L, const Report& report) {
  int count = lua_gettop(L);
  if (count == 0) return;
  luaL_checkstack(L, LUA_MINSTACK, "too many results to print");
  lua_pushcfunction(L, print_shown);
  lua_insert(L, 1);
  if (interruptible_call(L, count, 0, 0) == LUA_OK) return;
  const char* message = luaL_tolstring(L, -1, nullptr);
  report.error(lua_pushfstring(L, "error calling 'print' (%s)", message), true);
}

}  // namespace

LineReader::~LineReader() { std::free(line_); }

const char* LineReader::next(const char* prompt) {
  std::fputs(prompt, stdout);
  std::fflush(stdout);
  ssize_t size = getline(&line_, &capacity_, stdin);
  if (size < 0) return nullptr;
  if (size > 0 && line_[size - 1] == '\n') line_[size - 1] = '\0';
  return line_;
}

int run_with_traceback(lua_State* L, int arguments, int results) {
  int handler = lua_gettop(L) - arguments;
  lua_pushcfunction(L, traceback_handler);
  lua_insert(L, handler);
  int status = interruptible_call(L, arguments, results, handler);
  lua_remove(L, handler);
  return status;
}

int report_status(lua_State* L, int status, const Report& report, bool in_session) {
  if (status == LUA_OK) return status;
  const char* message = lua_tostring(L, -1);
  report.error(message != nullptr ? message : "(error object is not a string)", in_session);
  lua_pop(L, 1);
  return status;
}

void run_repl(lua_State* L, LineReader& lines, const Report& report) {
  int status;
  while (read_chunk(L, lines, &status)) {
    if (status == LUA_OK) status = run_with_traceback(L, 0, LUA_MULTRET);
    if (report_status(L, status, report, true) == LUA_OK) print_results(L, report);
  }
  lua_settop(L, 0);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

}  // namespace lutra
