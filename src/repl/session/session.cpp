#include "repl/session/session.h"

#include <chrono>
#include <cstdio>
#include <type_traits>

#include "lua/border/interpreter.h"
#include "lua/border/modules.h"
#include "lua/border/state.h"
#include "repl/session/capture.h"
#include "repl/session/hook_pause.h"
#include "repl/session/own_strings.h"
#include "repl/session/string_at.h"
#include "repl/session/tools.h"

namespace lutra {
namespace {

constexpr double kLongSeconds = 1;  // an entry that takes longer says so

// The function of the session's Lua object that describes the frames of an error, while an entry runs.
constexpr RegistryKey kNoteFrames{};

// Runs f(L), which may raise and returns the number of its results, under lua_pcall, with the top `arguments` values,
// which are popped. f must hold no C++ object with a destructor. Returns lua_pcall's status; the results, or the error,
// are on top. The user's hook does not run.
template <class F> int attempt_with(lua_State* L, int arguments, int results, F&& f) {
  HookPause pause(L);
  OwnStrings own(L);
  lua_pushcfunction(L, [](lua_State* inner) -> int {
    auto* function = static_cast<std::remove_reference_t<F>*>(lua_touserdata(inner, -1));
    lua_pop(inner, 1);
    return (*function)(inner);
  });
  lua_insert(L, -arguments - 1);
  lua_pushlightuserdata(L, const_cast<void*>(static_cast<const void*>(&f)));
  return lua_pcall(L, arguments + 1, results, 0);
}

template <class F> int attempt(lua_State* L, int results, F&& f) { return attempt_with(L, 0, results, f); }

}  // namespace

Session::Session(lua_State* L, const SessionHost& host) : L_(L), host_(host) {
  const int status = attempt(L, 0, [](lua_State* inner) {
    OwnStrings::remember(inner);
    return 0;
  });
  if (status != LUA_OK) lua_pop(L, 1);  // no memory: strings stay the script's
}

// Pushes a function of the session's Lua object, and the object, which it makes the first time. May raise a Lua error.
void Session::push_method(const char* name) {
  if (object_ == 0) {
    push_used(L_, "repl.session");
    push_session_tools(L_, host_);
    lua_call(L_, 1, 1);
    object_ = luaL_ref(L_, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L_, LUA_REGISTRYINDEX, object_);
  lua_getfield(L_, -1, name);
  lua_insert(L_, -2);
}

void Session::show(SessionHost::Text kind, std::string_view text) { host_.show(host_.user, kind, text); }

void Session::end() {
  if (object_ == 0) return;
  const int status = attempt(L_, 0, [&](lua_State* L) {
    push_method("finish");
    lua_call(L, 1, 0);
    return 0;
  });
  if (status != LUA_OK) report("%s");
  luaL_unref(L_, LUA_REGISTRYINDEX, object_);
  object_ = 0;
}

int Session::call(int arguments, int results, int handler) {
  return host_.call != nullptr ? host_.call(L_, arguments, results, handler)
                               : lua_pcall(L_, arguments, results, handler);
}

// The message handler of entries: takes the locals and describes the frames before they are gone.
int Session::handle_error(lua_State* L) {
  lua_settop(L, 1);
  if (lua_checkstack(L, 3 * LUA_MINSTACK) != 0) {
    attempt(L, 0, [](lua_State* inner) {
      capture_failed(inner);
      return 0;
    });
    lua_settop(L, 1);
    // Not by attempt: the function counts the frames between itself and the error.
    State::push(L, kNoteFrames);
    lua_pushvalue(L, 1);
    lua_pcall(L, 1, 0, 0);
    lua_settop(L, 1);
  }
  return traceback_handler(L);
}

// Reports the error on top of the stack, and pops it. `format` has one %s for its text.
void Session::report(const char* format) {
  const int status = attempt_with(L_, 1, 0, [&](lua_State* L) {
    const bool is_text = lua_isstring(L, 1) != 0 || luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL;
    lua_settop(L, 1);
    const char* text = is_text ? luaL_tolstring(L, 1, nullptr) : "(error object is not a string)";
    push_method("report");
    lua_pushfstring(L, format, text);
    lua_call(L, 2, 0);
    return 0;
  });
  if (status == LUA_OK) return;
  const std::string_view second = string_at(L_, -1);
  show(SessionHost::Text::Error, second.empty() ? "(error object is not a string)" : second);
  lua_pop(L_, 1);
}

Session::Outcome Session::run(std::string_view entry) {
  const int top = lua_gettop(L_);
  if (lua_checkstack(L_, 3 * LUA_MINSTACK) == 0) return Outcome::Failed;
  State::push(L_, kNoteFrames);
  const bool is_nested = !lua_isnil(L_, -1);  // an entry of another session has called this
  if (is_nested) push_capture(L_);
  else lua_pop(L_, 1);
  const int saved = lua_gettop(L_);
  const Outcome outcome = run_on_stack(entry);
  lua_settop(L_, saved);
  if (is_nested) {
    attempt_with(L_, 1 + kCaptureValues, 0, [](lua_State* L) {
      restore_capture(L);
      State::set(L, kNoteFrames);
      return 0;
    });
  } else {
    lua_pushnil(L_);
    lua_rawsetp(L_, LUA_REGISTRYINDEX, &kNoteFrames);  // nil needs no memory
  }
  lua_settop(L_, top);
  return outcome;
}

Session::Outcome Session::run_on_stack(std::string_view entry) {
  // prepare returns the chunk and whether to capture its locals; or "quit", or "done" or "failed" and has said why.
  bool captures = false;
  int status = attempt(L_, 1, [&](lua_State* L) {
    push_method("note_frames");
    lua_pop(L, 1);
    State::set(L, kNoteFrames);
    push_method("prepare");
    lua_pushvalue(L, -1);
    lua_insert(L, 1);
    lua_pushlstring(L, entry.data(), entry.size());
    lua_call(L, 2, 2);
    captures = lua_toboolean(L, 3) != 0;
    if (captures) begin_capture(L, 1);
    lua_pop(L, 1);
    return 1;
  });
  if (status != LUA_OK) {
    report("%s");
    return Outcome::Failed;
  }
  if (lua_type(L_, -1) != LUA_TFUNCTION) {
    const std::string_view answer = string_at(L_, -1);
    return answer == "quit" ? Outcome::Quit : answer == "done" ? Outcome::Ok : Outcome::Failed;
  }
  const auto begin = std::chrono::steady_clock::now();
  const int handler = lua_gettop(L_);
  lua_pushcfunction(L_, handle_error);
  lua_insert(L_, handler);
  if (captures) hook_returns(L_);
  status = call(0, LUA_MULTRET, handler);
  end_capture(L_);
  const bool ok = status == LUA_OK;
  if (ok) print_results(lua_gettop(L_) - handler);
  else report("%s");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  end_entry(ok, entry.starts_with(':') ? 0 : took.count());
  return ok ? Outcome::Ok : Outcome::Failed;
}

// Pops and prints the values on top of the stack.
void Session::print_results(int count) {
  if (count == 0) return;
  if (lua_checkstack(L_, count + LUA_MINSTACK) == 0) return show(SessionHost::Text::Error, "too many results to print");
  const int first = lua_gettop(L_) - count + 1;
  int status = attempt(L_, 2, [&](lua_State*) {
    push_method("print_results");
    return 2;
  });
  if (status == LUA_OK) {
    lua_rotate(L_, first, 2);
    OwnStrings own(L_);
    status = call(count + 1, 0, 0);
  }
  if (status != LUA_OK) report("error calling 'print' (%s)");
}

void Session::end_entry(bool ok, double seconds) {
  const int status = attempt(L_, 0, [&](lua_State* L) {
    push_method("end_entry");
    lua_pushboolean(L, ok);
    lua_call(L, 2, 0);
    return 0;
  });
  if (status != LUA_OK) report("%s");
  if (!host_.is_terminal || seconds <= kLongSeconds) return;
  char line[64];
  std::snprintf(line, sizeof line, "took %.3g s", seconds);
  show(SessionHost::Text::Note, line);
}

}  // namespace lutra
