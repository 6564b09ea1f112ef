// What failed: the texts that lutra_error and its relatives give. A lutra_t keeps its last failure, and so does each
// thread.
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "embed/host.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra::embed {
namespace {

constexpr RegistryKey kHost{};
constexpr std::string_view kTraceback = "\nstack traceback:\n";

// The last failure of a thread, shortened. Not thread_local: a library that is loaded late has little room for such
// variables.
struct Here {
  char error[4096];
  char message[1024];
  char code[sizeof Failure::code];
};

// Null without memory.
Here* here() noexcept {
  static pthread_key_t key;
  static const bool is_made = pthread_key_create(&key, std::free) == 0;
  if (!is_made) return nullptr;
  auto* found = static_cast<Here*>(pthread_getspecific(key));
  if (found != nullptr) return found;
  found = static_cast<Here*>(std::calloc(1, sizeof(Here)));
  if (found == nullptr || pthread_setspecific(key, found) == 0) return found;
  std::free(found);
  return nullptr;
}

void remember_here(const char* text, std::size_t message_size, const char* code) {
  Here* own = here();
  if (own == nullptr) return;
  std::snprintf(own->error, sizeof own->error, "%s", text);
  const int most = static_cast<int>(std::min(message_size, sizeof own->message));
  std::snprintf(own->message, sizeof own->message, "%.*s", most, text);
  std::snprintf(own->code, sizeof own->code, "%s", code);
}

void set_code(char (&code)[sizeof Failure::code], const char* name) { std::snprintf(code, sizeof code, "%s", name); }

void remember(lutra_t* lutra, const char* message, const char* code) noexcept {
  remember_here(message, std::strlen(message), code);
  if (lutra == nullptr) return;
  Failure& failure = lutra->failure;
  set_code(failure.code, code);
  failure.traceback.clear();
  try {
    failure.text = message;
    failure.message = message;
  } catch (...) {
    failure.text = failure.message = "out of memory";  // short enough not to allocate
  }
}

// Notes the code of Lutra's own errors, then makes the text with the traceback.
int message_handler(lua_State* L) {
  State::push(L, kHost);
  auto* lutra = static_cast<lutra_t*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  if (lutra != nullptr) {
    lutra->failure.code[0] = '\0';
    if (is_own_error(L, 1)) {
      lua_pushliteral(L, "code");
      if (lua_rawget(L, 1) == LUA_TSTRING) set_code(lutra->failure.code, lua_tostring(L, -1));
      lua_settop(L, 1);
    }
  }
  return traceback_handler(L);
}

const char* error_of_thread() { return here() != nullptr ? here()->error : "out of memory"; }
const char* message_of_thread() { return here() != nullptr ? here()->message : "out of memory"; }
const char* code_of_thread() { return here() != nullptr ? here()->code : ""; }

}  // namespace

void remember_host(lutra_t& lutra) {
  protect(lutra.L, 0, [&](lua_State* L) {
    lua_pushlightuserdata(L, &lutra);
    State::set(L, kHost);
    return 0;
  });
}

void watch_interrupts(lutra_t& lutra) {
  ContextHooks& hooks = lutra.state->context().hooks;
  hooks.interrupts = lutra.interrupts;
  hooks.take_interrupt = [](void* interrupts) { return static_cast<Interrupts*>(interrupts)->take(); };
}

lutra_t* host_of(lua_State* L) {
  State::push(L, kHost);
  auto* lutra = static_cast<lutra_t*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return lutra;
}

int remember_exception(lutra_t* lutra) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    remember(lutra, error.what(), name(error.code()));
  } catch (const LuaRaised&) {
    return remember_lua_error(*lutra, LUTRA_ERROR);
  } catch (const std::exception& error) {
    remember(lutra, error.what(), "");
  } catch (...) {
    remember(lutra, "an unknown exception; please report this", "Internal");
  }
  return LUTRA_ERROR;
}

int remember_lua_error(lutra_t& lutra, int status) noexcept {
  const char* found =
      lua_type(lutra.L, -1) == LUA_TSTRING ? lua_tostring(lutra.L, -1) : "an error that is not a string";
  Failure& failure = lutra.failure;
  try {
    std::string text = found;
    std::size_t end = text.find(kTraceback);
    failure.traceback = end != std::string::npos ? text.substr(end + kTraceback.size()) : std::string();
    failure.message = text.substr(0, end);
    if (status == LUTRA_LIMIT) {
      set_code(failure.code, name(lutra.limits().code()));
      failure.message = lutra.limits().position() + lutra.limits().text();
      text = end != std::string::npos ? failure.message + text.substr(end) : failure.message;
    }
    if (status == LUTRA_INTERRUPTED) set_code(failure.code, name(ErrorCode::Cancelled));
    failure.text = std::move(text);
  } catch (...) {
    remember(&lutra, "out of memory", "");
  }
  remember_here(failure.text.c_str(), failure.message.size(), failure.code);
  lua_pop(lutra.L, 1);
  return status;
}

int refuse(const char* who, const char* why, ErrorCode code) noexcept {
  char said[200];
  std::snprintf(said, sizeof said, "%s: %s", who, why);
  remember_here(said, sizeof said, name(code));
  return LUTRA_ERROR;
}

Use::Use(lutra_t* lutra, const char* who, bool nested) noexcept {
  if (lutra == nullptr) {
    refuse(who, "the lutra_t is NULL", ErrorCode::InvalidArgument);
    return;
  }
  home_ = lutra->home;
  const Gate::Entered entered = home_->gate.enter();
  entered_ = entered == Gate::Entered::Yes;
  allowed_ = entered_ || (entered == Gate::Entered::Nested && nested && lutra->in_function);
  if (allowed_ && home_->turns() != nullptr) take_turn(*lutra, who);
  if (allowed_) return;
  if (entered_) return;
  if (entered == Gate::Entered::Nested) refuse(who, "a callback must not use the lutra_t that calls it");
  else refuse(who, "another thread is using this lutra_t");
}

void Use::take_turn(lutra_t& lutra, const char* who) noexcept {
  const Turns::Entered entered = home_->turns()->enter(lutra);
  has_turn_ = allowed_ = entered == Turns::Entered::Yes;
  if (entered == Turns::Entered::InCallback)
    refuse(who, "a callback must not use interpreters that share the runtime of the one that calls it");
  if (entered == Turns::Entered::WouldBlock)
    refuse(who,
           "another thread uses the runtime, and a callback of another runtime's interpreter must not wait for it");
}

int run_protected(lutra_t& lutra, int arguments, int results) noexcept {
  lua_State* L = lutra.L;
  const int handler = lua_gettop(L) - arguments;
  lua_pushcfunction(L, message_handler);
  lua_insert(L, handler);
  Interrupts& interrupts = *lutra.interrupts;
  Limits& limits = lutra.limits();
  const int64_t taken = interrupts.taken();
  const bool is_outer = lutra.depth == 0;
  if (is_outer) {
    interrupts.begin(L, true);
    if (int failed = attempt(&lutra, [&] { limits.begin(L, interrupts); }); failed != LUTRA_OK) {
      interrupts.end();
      limits.end(L, false);
      lua_settop(L, handler - 1);
      return failed;
    }
  }
  const bool was_in_function = std::exchange(lutra.in_function, false);
  ++lutra.depth;
  int status = lua_pcall(L, arguments, results, handler);
  --lutra.depth;
  lutra.in_function = was_in_function;
  const bool was_stopped = interrupts.taken() != taken;
  if (is_outer) {
    interrupts.end();
    limits.end(L, was_stopped);
    if (interrupts.is_always_ready()) interrupts.begin(L);
  }
  lua_remove(L, handler);
  // Whatever the script has made of the error.
  if (limits.passed() != Limits::Kind::None) {
    if (status == LUA_OK) {
      lua_settop(L, handler - 1);
      lua_pushnil(L);
    }
    status = remember_lua_error(lutra, LUTRA_LIMIT);
    if (is_outer && limits.passed() == Limits::Kind::LuaMemory) lua_gc(L, LUA_GCCOLLECT);
    return status;
  }
  if (status == LUA_OK) return LUTRA_OK;
  if (status == LUA_ERRMEM) set_code(lutra.failure.code, name(ErrorCode::ResourceExhausted));
  return remember_lua_error(lutra, was_stopped ? LUTRA_INTERRUPTED : LUTRA_ERROR);
}

int call_protected(lutra_t& lutra, lua_CFunction function, void* frame) noexcept {
  lua_State* L = lutra.L;
  lua_pushcfunction(L, message_handler);
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, frame);
  int status = lua_pcall(L, 1, 0, lua_gettop(L) - 2);
  lua_remove(L, status == LUA_OK ? -1 : -2);
  return status == LUA_OK ? LUTRA_OK : remember_lua_error(lutra, LUTRA_ERROR);
}

}  // namespace lutra::embed

using namespace lutra::embed;

extern "C" {

const char* lutra_error(const lutra_t* lutra) {
  return lutra != nullptr ? lutra->failure.text.c_str() : error_of_thread();
}
const char* lutra_error_message(const lutra_t* lutra) {
  return lutra != nullptr ? lutra->failure.message.c_str() : message_of_thread();
}
const char* lutra_error_code(const lutra_t* lutra) { return lutra != nullptr ? lutra->failure.code : code_of_thread(); }
const char* lutra_error_traceback(const lutra_t* lutra) {
  if (lutra != nullptr) return lutra->failure.traceback.c_str();
  const char* found = std::strstr(error_of_thread(), kTraceback.data());
  return found != nullptr ? found + kTraceback.size() : "";
}

}  // extern "C"
