// The border between C++ and Lua (see Note [The Lua border] in error_bridge.cpp). A binding that is not an op is
// written `int f(Args& args)`, may throw, and is registered as guarded<f>.
#pragma once

#include "core/error.h"
#include "lua/args.h"
#include "lua/state.h"

namespace lutra {

// An error object lies on top of the Lua stack.
struct LuaRaised {};

// Runs f(L), which may raise Lua errors, under lua_pcall; its results stay on the stack. For pushing while C++ objects
// are alive: an error becomes the exception LuaRaised. f itself must hold no C++ object with a destructor.
template <class F> void protect(lua_State* L, int results, F&& f) {
  lua_pushcfunction(L, [](lua_State* inner) -> int {
    auto* function = static_cast<std::remove_reference_t<F>*>(lua_touserdata(inner, 1));
    lua_settop(inner, 0);
    return (*function)(inner);
  });
  lua_pushlightuserdata(L, const_cast<void*>(static_cast<const void*>(&f)));
  if (lua_pcall(L, 1, results, 0) != LUA_OK) throw LuaRaised{};
}

using Binding = int (*)(Args& args);

template <Binding binding> int guarded(lua_State* L) {
  State* state = static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  const char* who = lua_tostring(L, lua_upvalueindex(2));
  int results = -1;
  bool has_error_object = false;
  try {
    if (state->is_closed()) fail(ErrorCode::FailedPrecondition, who, ": this interpreter is being closed");
    state->enter(L);
    Args args(L, *state, who);
    results = binding(args);
  } catch (const LuaRaised&) {
    has_error_object = true;
  } catch (...) {
    state->keep_current_exception();
  }
  if (has_error_object) return lua_error(L);
  if (results < 0) state->raise(L);
  state->tell(L);
  return results;
}

// The read phase of a binding that is a plain C function, since it calls Lua that may raise or yield later on: what
// `read` throws is raised as a Lua error. `read` pushes nothing under protect().
template <class F> void read_phase(lua_State* L, State& state, const char* who, F&& read) {
  bool ok = true;
  try {
    if (state.is_closed()) fail(ErrorCode::FailedPrecondition, who, ": this interpreter is being closed");
    state.enter(L);
    Args args(L, state, who);
    read(args);
  } catch (...) {
    state.keep_current_exception();
    ok = false;
  }
  if (!ok) [[unlikely]]
    state.raise(L);
}

// Sets field `name` of the table on top of the stack to the binding. `who` starts its error texts.
template <Binding binding> void set_function(lua_State* L, State& state, const char* name, const char* who) {
  lua_pushlightuserdata(L, &state);
  lua_pushstring(L, who);
  lua_pushcclosure(L, guarded<binding>, 2);
  lua_setfield(L, -2, name);
}

}  // namespace lutra
