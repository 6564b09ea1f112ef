// The border between C++ and Lua (see Note [The Lua border] in error_bridge.cpp). A binding that is not an op and does
// not call the user's Lua is an `int f(Args& args)`, which may throw, registered as guarded<f>. A binding that does is
// a plain C function that reads its arguments in read_phase.
#pragma once

#include "core/error.h"
#include "lua/border/args.h"
#include "lua/border/state.h"

namespace lutra {

// Thrown when an error object is on top of the Lua stack.
struct LuaRaised {};

// Runs f(L), which may raise Lua errors, under lua_pcall; its results stay on the stack. An error becomes the exception
// LuaRaised, so that values can be pushed while C++ objects are alive. f itself must hold no C++ object with a
// destructor.
template <class F> void protect(lua_State* L, int results, F&& f) {
  lua_pushcfunction(L, [](lua_State* inner) -> int {
    auto* function = static_cast<std::remove_reference_t<F>*>(lua_touserdata(inner, 1));
    lua_settop(inner, 0);
    return (*function)(inner);
  });
  lua_pushlightuserdata(L, const_cast<void*>(static_cast<const void*>(&f)));
  if (lua_pcall(L, 1, results, 0) != LUA_OK) throw LuaRaised{};
}

// Like protect(), but f gets the top `arguments` values of L's stack, which are popped, and leaves no results.
template <class F> void protect_with(lua_State* L, int arguments, F&& f) {
  lua_pushcfunction(L, [](lua_State* inner) -> int {
    auto* function = static_cast<std::remove_reference_t<F>*>(lua_touserdata(inner, -1));
    lua_pop(inner, 1);
    (*function)(inner);
    return 0;
  });
  lua_insert(L, -arguments - 1);
  lua_pushlightuserdata(L, const_cast<void*>(static_cast<const void*>(&f)));
  if (lua_pcall(L, arguments + 1, 0, 0) != LUA_OK) throw LuaRaised{};
}

inline void push_text(Args& args, std::string_view text) {
  protect(args.L, 1, [&](lua_State* L) {
    lua_pushlstring(L, text.data(), text.size());
    return 1;
  });
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

// The read phase of a binding that is a plain C function, because it later calls Lua that may raise or yield. An
// exception of `read` is raised as a Lua error. `read` pushes nothing under protect().
template <class F> void read_phase(lua_State* L, State& state, const char* who, F&& read) {
  state.attempt_or_raise(L, [&] {
    if (state.is_closed()) fail(ErrorCode::FailedPrecondition, who, ": this interpreter is being closed");
    state.enter(L);
    Args args(L, state, who);
    read(args);
  });
}

// Sets field `name` of the table on top of the stack to the binding. `who` starts its error texts.
template <Binding binding> void set_function(lua_State* L, State& state, const char* name, const char* who) {
  lua_pushlightuserdata(L, &state);
  lua_pushstring(L, who);
  lua_pushcclosure(L, guarded<binding>, 2);
  lua_setfield(L, -2, name);
}

// The same for a function of Lua's own form, which lets no C++ exception out. Its upvalue is the State.
inline void set_unguarded(lua_State* L, State& state, const char* name, lua_CFunction function) {
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

}  // namespace lutra
