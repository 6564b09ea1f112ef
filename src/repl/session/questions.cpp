// What a reader asks while the user types: completion, signatures, whether an entry is complete. No code of the user
// may run, so the collector, which calls finalizers, stands still meanwhile. The exception is `prompt`, which is asked
// before the user types: it calls __tostring of _PROMPT, which Ctrl-C interrupts.

#include "lua/border/modules.h"
#include "repl/session/hook_pause.h"
#include "repl/session/own_strings.h"
#include "repl/session/session.h"
#include "repl/session/string_at.h"

namespace lutra {
namespace {

struct Question {
  const char* method;
  std::string_view text;
  std::size_t cursor;
};

}  // namespace

// Pushes the `results` results of object.method(object, text, cursor), with 1 for the cursor before the first byte.
// False, and nothing is pushed, if that failed.
bool Session::ask(const char* method, std::string_view text, std::size_t cursor, int results, bool runs_code) {
  if (lua_checkstack(L_, 2 * LUA_MINSTACK) == 0) return false;
  HookPause pause(L_);
  OwnStrings own(L_);
  const bool collects = lua_gc(L_, LUA_GCISRUNNING) != 0;
  lua_gc(L_, LUA_GCSTOP);
  const Question question{method, text, cursor < text.size() ? cursor : text.size()};
  struct Call {
    Session* session;
    const Question* question;
  } call{this, &question};
  const int top = lua_gettop(L_);
  lua_pushcfunction(L_, [](lua_State* L) -> int {
    const Call& given = *static_cast<const Call*>(lua_touserdata(L, 1));
    lua_settop(L, 0);
    given.session->push_method(given.question->method);
    lua_pushlstring(L, given.question->text.data(), given.question->text.size());
    lua_pushinteger(L, static_cast<lua_Integer>(given.question->cursor) + 1);
    lua_call(L, 3, LUA_MULTRET);
    return lua_gettop(L);
  });
  lua_pushlightuserdata(L_, &call);
  const bool ok = (runs_code ? Session::call(1, results, 0) : lua_pcall(L_, 1, results, 0)) == LUA_OK;
  if (collects) lua_gc(L_, LUA_GCRESTART);
  if (!ok) lua_settop(L_, top);
  return ok;
}

std::string Session::ask_text(const char* method, std::string_view text, std::size_t cursor) {
  if (!ask(method, text, cursor, 1)) return "";
  std::string answer(string_at(L_, -1));
  lua_pop(L_, 1);
  return answer;
}

bool Session::is_complete(std::string_view text) {
  if (!ask("is_complete", text, 0, 1)) return true;
  const bool is_complete = lua_toboolean(L_, -1) != 0;
  lua_pop(L_, 1);
  return is_complete;
}

// The object returns the first and the last byte to replace, as string.sub counts them, and a list of words.
Completion Session::complete(std::string_view text, std::size_t cursor) {
  Completion completion;
  if (!ask("complete", text, cursor, 3)) return completion;
  const int words = lua_gettop(L_);
  if (lua_type(L_, words) == LUA_TTABLE) {
    completion.begin = static_cast<std::size_t>(lua_tointeger(L_, words - 2)) - 1;
    completion.end = static_cast<std::size_t>(lua_tointeger(L_, words - 1));
    for (lua_Integer i = 1; lua_rawgeti(L_, words, i) == LUA_TSTRING; ++i) {
      completion.words.emplace_back(string_at(L_, -1));
      lua_pop(L_, 1);
    }
  }
  lua_settop(L_, words - 3);
  return completion;
}

std::string Session::signature(std::string_view text, std::size_t cursor) {
  return ask_text("signature", text, cursor);
}

std::string Session::inspect(std::string_view text, std::size_t cursor) { return ask_text("inspect", text, cursor); }

std::string Session::prompt(bool is_first) {
  const char* name = is_first ? "_PROMPT" : "_PROMPT2";
  const int top = lua_gettop(L_);
  const bool runs_code = ask("prompt_runs_code", name, 0, 1) && lua_toboolean(L_, -1) != 0;
  lua_settop(L_, top);
  if (!ask("prompt", name, 0, 1, runs_code)) return is_first ? "> " : ">> ";
  std::string answer(string_at(L_, -1));
  lua_pop(L_, 1);
  return answer;
}

EntryHelp Session::help() {
  return {
      .is_complete = [this](std::string_view text) { return is_complete(text); },
      .complete = [this](std::string_view text, std::size_t cursor) { return complete(text, cursor); },
      .signature = [this](std::string_view text, std::size_t cursor) { return signature(text, cursor); },
  };
}

}  // namespace lutra
