// Globals, calls into Lua, and functions of the host for Lua. All that may raise a Lua error happens in one protected C
// function per call, which finds its arguments in a frame on the host's stack.
#include <algorithm>
#include <cstring>
#include <utility>

#include "embed/values.h"
#include "lua/border/guard.h"

using namespace lutra;
using namespace lutra::embed;

namespace {

struct CallFrame {
  lutra_t* lutra;
  const char* name;           // of the function, or of the method; null: the target itself
  const lutra_value* target;  // null: the function is a global
  const char* prefix;         // before the name in messages; "lutra." for ops
  const lutra_value* in;
  size_t n_in;
  const lutra_option* options;
  size_t n_options;
  lutra_value* out;
  size_t max_out;
  size_t n_out;
};

void raise_no_function(lua_State* L, const CallFrame& frame, const char* what) {
  frame.lutra->state->attempt_or_raise(L, [&] {
    fail(ErrorCode::NotFound, "lutra_call: ", frame.prefix, frame.name, " is ", what, ", expected a function");
  });
}

// Pushes the value at `name`, whose dots are fields. A first name that is no global may be a module that is loaded.
void push_path(lua_State* L, const char* name) {
  const char* dot = std::strchr(name, '.');
  if (dot == nullptr) {
    lua_getglobal(L, name);
    return;
  }
  lua_pushglobaltable(L);
  lua_pushlstring(L, name, static_cast<size_t>(dot - name));
  if (lua_gettable(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushlstring(L, name, static_cast<size_t>(dot - name));
    lua_gettable(L, -2);
    lua_remove(L, -2);
  }
  lua_remove(L, -2);
  while (dot != nullptr && !lua_isnil(L, -1)) {
    const char* from = dot + 1;
    dot = std::strchr(from, '.');
    if (dot != nullptr) lua_pushlstring(L, from, static_cast<size_t>(dot - from));
    else lua_pushstring(L, from);
    lua_gettable(L, -2);
    lua_remove(L, -2);
  }
}

void push_options(lua_State* L, const CallFrame& frame) {
  if (frame.n_options == 0) return;
  lua_createtable(L, 0, static_cast<int>(frame.n_options));
  for (size_t i = 0; i < frame.n_options; ++i) {
    push_value(L, *frame.lutra, frame.options[i].value);
    lua_setfield(L, -2, frame.options[i].name);
  }
}

int call_in_lua(lua_State* L) {
  CallFrame& frame = *static_cast<CallFrame*>(lua_touserdata(L, 1));
  lutra_t& lutra = *frame.lutra;
  luaL_checkstack(L, static_cast<int>(std::min<size_t>(frame.n_in, LUAI_MAXSTACK)) + 10, "a host's values");
  int arguments = static_cast<int>(frame.n_in);
  if (frame.target == nullptr) {
    push_path(L, frame.name);
    if (lua_type(L, -1) == LUA_TNIL) raise_no_function(L, frame, "nil");
  } else {
    push_value(L, lutra, *frame.target);
    if (frame.name != nullptr) {
      lua_getfield(L, -1, frame.name);
      lua_insert(L, -2);
      ++arguments;
    }
  }
  for (size_t i = 0; i < frame.n_in; ++i) push_value(L, lutra, frame.in[i]);
  if (frame.n_options > 0) {
    push_options(L, frame);
    ++arguments;
  }
  lua_call(L, arguments, LUA_MULTRET);
  const size_t found = std::min(frame.max_out, static_cast<size_t>(lua_gettop(L)) - 1);
  for (; frame.n_out < found; ++frame.n_out) {
    take_value(L, lutra, 2 + static_cast<int>(frame.n_out), &frame.out[frame.n_out]);
  }
  return 0;
}

int run_call(const char* who, CallFrame& frame, size_t* n_out) noexcept {
  if (n_out != nullptr) *n_out = 0;
  if (frame.out != nullptr) std::fill_n(frame.out, frame.max_out, lutra_value LUTRA_VALUE_INIT);
  lutra_t* lutra = frame.lutra;
  Use use(lutra, who, true);
  if (!use) return LUTRA_ERROR;
  if (int failed = attempt(lutra,
                           [&] {
                             check_values(who, frame.in, frame.n_in);
                             require(frame.out != nullptr || frame.max_out == 0, who, ": out is NULL");
                             require(frame.max_out <= 200 && frame.n_in <= 200000, who, ": ", frame.n_in,
                                     " values in and ", frame.max_out, " out; at most 200000 and 200 are possible");
                           });
      failed != LUTRA_OK) {
    return failed;
  }
  lua_State* L = lutra->L;
  lua_pushcfunction(L, call_in_lua);
  lua_pushlightuserdata(L, &frame);
  int status = run_protected(*lutra, 1, 0);
  if (status != LUTRA_OK) clear_values(frame.out, frame.max_out);
  else if (n_out != nullptr) *n_out = frame.n_out;
  return status;
}

// ---- globals

struct GlobalFrame {
  lutra_t* lutra;
  const char* name;
  const lutra_value* set;
  lutra_value* get;
  lutra_function function;
  void* user;
};

// Pushes the table that has the last field of `name`, made where it is missing, and returns that field's name.
const char* push_parent(lua_State* L, const char* name) {
  lua_pushglobaltable(L);
  while (const char* dot = std::strchr(name, '.')) {
    lua_pushlstring(L, name, static_cast<size_t>(dot - name));
    lua_pushvalue(L, -1);
    if (lua_gettable(L, -3) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_settable(L, -5);
    }
    lua_replace(L, -3);
    lua_pop(L, 1);
    name = dot + 1;
  }
  return name;
}

int set_in_lua(lua_State* L) {
  const GlobalFrame& frame = *static_cast<GlobalFrame*>(lua_touserdata(L, 1));
  const char* field = push_parent(L, frame.name);
  push_value(L, *frame.lutra, *frame.set);
  lua_setfield(L, -2, field);
  return 0;
}

int get_in_lua(lua_State* L) {
  const GlobalFrame& frame = *static_cast<GlobalFrame*>(lua_touserdata(L, 1));
  push_path(L, frame.name);
  take_value(L, *frame.lutra, -1, frame.get);
  return 0;
}

// ---- functions of the host

constexpr size_t kMostArguments = 64, kMostResults = 32;

struct HostFunction {
  lutra_t* lutra;
  lutra_function function;
  void* user;
};

// Upvalue 1: a HostFunction, 2: its name. Only running out of memory can raise while `in` and `out` hold anything.
int call_host(lua_State* L) {
  const auto& called = *static_cast<const HostFunction*>(lua_touserdata(L, lua_upvalueindex(1)));
  lutra_t& lutra = *called.lutra;
  const auto given = static_cast<size_t>(lua_gettop(L));
  if (given > kMostArguments) {
    return luaL_error(L, "%s: %d arguments given, at most %d are possible; pass a table",
                      lua_tostring(L, lua_upvalueindex(2)), static_cast<int>(given), static_cast<int>(kMostArguments));
  }
  luaL_checkstack(L, 20, nullptr);
  lutra_value in[kMostArguments], out[kMostResults];
  for (size_t i = 0; i < given; ++i) take_value(L, lutra, static_cast<int>(i) + 1, &in[i], true);
  std::fill_n(out, kMostResults, lutra_value LUTRA_VALUE_INIT);
  size_t n_out = 0;
  const bool was_in = std::exchange(lutra.in_function, true);
  lua_State* caller = std::exchange(lutra.L, L);
  lutra.callback_failure.clear();
  const int status = called.function(called.user, &lutra, in, given, out, kMostResults, &n_out);
  lutra.in_function = was_in;
  lutra.L = caller;
  clear_values(in, given);
  if (lutra.interpreter == nullptr) lutra.home->free_buried();  // scripts of the host's run outside the gate
  lutra.state->enter(L);
  n_out = std::min(n_out, kMostResults);
  const bool is_valid = status != LUTRA_OK ||
                        lutra.state->attempt([&] { check_values(lua_tostring(L, lua_upvalueindex(2)), out, n_out); });
  if (status != LUTRA_OK || !is_valid) {
    clear_values(out, kMostResults);
    if (!is_valid) lutra.state->raise(L);
    lutra.state->attempt([&] {
      const std::string& said = lutra.callback_failure;
      fail(ErrorCode::FailedPrecondition, lua_tostring(L, lua_upvalueindex(2)), ": ",
           said.empty() ? "the host's function failed" : said.c_str());
    });
    lutra.state->raise(L);
  }
  luaL_checkstack(L, static_cast<int>(n_out) + 4, nullptr);
  for (size_t i = 0; i < n_out; ++i) push_value(L, lutra, out[i]);
  clear_values(out, kMostResults);
  return static_cast<int>(n_out);
}

int register_in_lua(lua_State* L) {
  const GlobalFrame& frame = *static_cast<GlobalFrame*>(lua_touserdata(L, 1));
  const char* field = push_parent(L, frame.name);
  if (frame.function == nullptr) {
    lua_pushnil(L);
  } else {
    void* block = lua_newuserdatauv(L, sizeof(HostFunction), 0);
    new (block) HostFunction{frame.lutra, frame.function, frame.user};
    lua_pushstring(L, frame.name);
    lua_pushcclosure(L, call_host, 2);
  }
  lua_setfield(L, -2, field);
  return 0;
}

int run_on_global(const char* who, GlobalFrame& frame, lua_CFunction function) noexcept {
  Use use(frame.lutra, who, true);
  if (!use) return LUTRA_ERROR;
  if (int failed = attempt(frame.lutra,
                           [&] {
                             require(frame.name != nullptr && frame.name[0] != '\0', who,
                                     ": the name is NULL or empty");
                             if (frame.set != nullptr) check_value(who, frame.set);
                           });
      failed != LUTRA_OK) {
    return failed;
  }
  lua_State* L = frame.lutra->L;
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, &frame);
  return run_protected(*frame.lutra, 1, 0);
}

}  // namespace

extern "C" {

int lutra_call(lutra_t* lutra, const char* name, const lutra_value* in, size_t n_in, lutra_value* out, size_t max_out,
               size_t* n_out) {
  CallFrame frame{lutra, name != nullptr ? name : "(NULL)", nullptr, "", in, n_in, nullptr, 0, out, max_out, 0};
  return run_call("lutra_call", frame, n_out);
}

int lutra_call_method(lutra_t* lutra, const lutra_value* target, const char* method, const lutra_value* in, size_t n_in,
                      lutra_value* out, size_t max_out, size_t* n_out) {
  const char* who = "lutra_call_method";
  if (int failed = attempt(nullptr, [&] { check_value(who, target); }); failed != LUTRA_OK) return failed;
  CallFrame frame{lutra, method, target, "", in, n_in, nullptr, 0, out, max_out, 0};
  return run_call(who, frame, n_out);
}

int lutra_op(lutra_t* lutra, const char* name, const lutra_value* in, size_t n_in, const lutra_option* options,
             size_t n_options, lutra_value* out, size_t max_out, size_t* n_out) {
  const char* who = "lutra_op";
  char path[128];
  if (int failed = attempt(nullptr,
                           [&] {
                             require(name != nullptr && std::strlen(name) < 100, who, ": the name is NULL or too long");
                             require(options != nullptr || n_options == 0, who, ": the options are NULL");
                             for (size_t i = 0; i < n_options; ++i) {
                               require(options[i].size == sizeof(lutra_option), who, ": an option's size is ",
                                       options[i].size, ", expected ", sizeof(lutra_option));
                               require(options[i].name != nullptr, who, ": an option's name is NULL");
                               check_value(who, &options[i].value);
                             }
                             std::strcpy(path, "lutra.");
                             std::strcat(path, name);
                           });
      failed != LUTRA_OK) {
    return failed;
  }
  CallFrame frame{lutra, path, nullptr, "", in, n_in, options, n_options, out, max_out, 0};
  return run_call(who, frame, n_out);
}

int lutra_set_global(lutra_t* lutra, const char* name, const lutra_value* value) {
  const char* who = "lutra_set_global";
  if (value == nullptr) return attempt_on(lutra, who, true, [&] { check_value(who, value); });
  GlobalFrame frame{lutra, name, value, nullptr, nullptr, nullptr};
  return run_on_global(who, frame, set_in_lua);
}

int lutra_get_global(lutra_t* lutra, const char* name, lutra_value* value) {
  const char* who = "lutra_get_global";
  if (value == nullptr) return attempt_on(lutra, who, true, [&] { check_value(who, value); });
  *value = LUTRA_VALUE_INIT;
  GlobalFrame frame{lutra, name, nullptr, value, nullptr, nullptr};
  int status = run_on_global(who, frame, get_in_lua);
  if (status != LUTRA_OK) lutra_value_clear(value);
  return status;
}

int lutra_register(lutra_t* lutra, const char* name, lutra_function function, void* user) {
  GlobalFrame frame{lutra, name, nullptr, nullptr, function, user};
  return run_on_global("lutra_register", frame, register_in_lua);
}

int lutra_fail(lutra_t* lutra, const char* message) {
  if (lutra != nullptr) {
    attempt(nullptr, [&] { lutra->callback_failure = message != nullptr ? message : "the host's function failed"; });
  }
  return 1;
}

}  // extern "C"
