// coroutine.create, resume, wrap and close of Lua's library, with the same results, errors and error positions. They
// also do what only the switch between coroutines can do: a coroutine starts in its creator's device scope, Interrupts
// learns which one runs, and each has its own layer call state (nn/layers/layer.lua), which it finds again when it is
// resumed inside a layer's call.
//
// Note [Coroutines that a limit has stopped]
// Lua calls no hooks in a coroutine that has died of an error which a hook raised: its __close could run for ever. So
// if a stop that insists has raised in a coroutine, its to-be-closed variables are never closed.

#include "lua/border/interrupts.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kCallState{}, kSuspended{}, kNameError{}, kStopped{};

// What the functions share; a userdata.
struct Switches {
  State* state;
  Interrupts* interrupts;
  bool may_have_state;  // layer call state was set since it was last seen to be empty
  bool has_suspended;   // some coroutine may have been suspended inside a layer's call
};

// Upvalues: the Switches; the table of layer call state; and the thread of a wrapped function.
enum : int { kSwitches = 1, kState, kThread };

Switches& switches_of(lua_State* L) { return *static_cast<Switches*>(lua_touserdata(L, lua_upvalueindex(kSwitches))); }

// The coroutine as an argument.
lua_State* coroutine_argument(lua_State* L) {
  lua_State* thread = lua_tothread(L, 1);
  if (thread == nullptr) luaL_typeerror(L, 1, "thread");
  return thread;
}

// Whether any layer call state is set. It rarely is, and a switch then has nothing to keep: looking at the table at
// every switch would take a fifth of its time.
bool has_call_state(lua_State* L, Switches& switches) {
  if (!switches.may_have_state) [[likely]]
    return false;
  lua_pushnil(L);
  if (lua_next(L, lua_upvalueindex(kState)) == 0) {
    switches.may_have_state = false;
    return false;
  }
  lua_pop(L, 2);
  return true;
}

// The __newindex of the table of layer call state, which is called where a field that is nil is set.
int set_call_state(lua_State* L) {
  lua_settop(L, 3);
  if (lua_isnil(L, 3)) return 0;
  switches_of(L).may_have_state = true;
  lua_rawset(L, 1);
  return 0;
}

// Moves the entries of the table at `from` into the one at `to`; 0: drops them.
void move_entries(lua_State* L, int from, int to) {
  for (lua_pushnil(L); lua_next(L, from) != 0;) {
    lua_pushvalue(L, -2);
    if (to != 0) {
      lua_pushvalue(L, -1);
      lua_pushvalue(L, -3);
      lua_rawset(L, to);
    }
    lua_pushnil(L);
    lua_rawset(L, from);  // of an entry that is there, which lua_next allows
    lua_pop(L, 1);
  }
}

// One switch to a coroutine and back, for the layer call state. Lives in a C frame that a Lua error may skip.
struct CallStates {
  lua_State* L;
  Switches& switches;
  int thread;     // the coroutine's index
  int outer = 0;  // the index of the table with the resumer's state; 0 if there was nothing to keep

  void begin(int above) {
    if (switches.has_suspended || has_call_state(L, switches)) [[unlikely]]
      exchange(above);
  }
  void end(bool is_suspended) {
    if (outer != 0 || has_call_state(L, switches)) [[unlikely]]
      exchange_back(is_suspended);
  }

  // Puts the coroutine's state in place of the resumer's, below the top `above` values.
  void exchange(int above) {
    luaL_checkstack(L, 8, nullptr);
    lua_newtable(L);
    outer = lua_gettop(L);
    move_entries(L, lua_upvalueindex(kState), outer);
    State::push(L, kSuspended);
    lua_pushvalue(L, thread);
    if (lua_rawget(L, -2) == LUA_TTABLE) {
      move_entries(L, lua_gettop(L), lua_upvalueindex(kState));
      switches.may_have_state = true;
      lua_pushvalue(L, thread);
      lua_pushnil(L);
      lua_rawset(L, -4);
    }
    lua_settop(L, outer);
    outer -= above;
    lua_insert(L, outer);
  }

  // The coroutine's error, on top, gets the name of the layer that raised it.
  void name_error() {
    if (!has_call_state(L, switches) || !lua_checkstack(L, 4)) return;
    State::push(L, kNameError);
    lua_pushvalue(L, -2);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
  }

  // Keeps the state of a coroutine that is suspended, and restores the resumer's. Leaves the results on top.
  void exchange_back(bool is_suspended) {
    luaL_checkstack(L, 8, nullptr);
    const int top = lua_gettop(L);
    if (is_suspended && has_call_state(L, switches)) {
      switches.has_suspended = true;
      State::push(L, kSuspended);
      lua_pushvalue(L, thread);
      lua_newtable(L);
      move_entries(L, lua_upvalueindex(kState), top + 3);
      lua_rawset(L, -3);
    } else {
      move_entries(L, lua_upvalueindex(kState), 0);
    }
    lua_settop(L, top);
    if (outer == 0) return;
    move_entries(L, outer, lua_upvalueindex(kState));
    switches.may_have_state = true;
    lua_remove(L, outer);
  }
};

// See Note [Coroutines that a limit has stopped]
void mark_stopped(lua_State* L, int index) {
  luaL_checkstack(L, 3, nullptr);
  State::push(L, kStopped);
  lua_pushvalue(L, index);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}
bool is_marked_stopped(lua_State* L, int index) {
  State::push(L, kStopped);
  lua_pushvalue(L, index);
  const bool is_marked = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return is_marked;
}

// Resumes the coroutine with the top `count` values. Returns the number of results, or -1 if an error is on top. If the
// coroutine failed, `closes_failed` closes its to-be-closed variables, and *is_memory tells that memory ran out.
inline int resume_with(lua_State* L, lua_State* thread, int index, int count, bool closes_failed, bool* is_memory) {
  if (lua_checkstack(thread, count) == 0) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  Switches& switches = switches_of(L);
  CallStates states{.L = L, .switches = switches, .thread = index};
  states.begin(count);
  lua_xmove(L, thread, count);
  int results = 0;
  lua_State* before = switches.interrupts->switch_to(thread);
  int status = lua_resume(thread, L, count, &results);
  const bool is_suspended = status == LUA_YIELD;
  if (is_suspended || status == LUA_OK) [[likely]] {
    switches.interrupts->switch_to(before);
    if (!is_suspended) switches.state->scopes().returned(L, index);
    if (lua_checkstack(L, results + 4) == 0) {
      lua_pop(thread, results);
      lua_pushliteral(L, "too many results to resume");
      results = -1;
    } else {
      lua_xmove(thread, L, results);
    }
  } else {
    const bool is_stopped = switches.interrupts->has_stopped(thread);
    if (closes_failed && !is_stopped && (status = lua_status(thread)) != LUA_OK && status != LUA_YIELD) {
      status = lua_resetthread(thread);
    }
    *is_memory = status == LUA_ERRMEM;
    switches.interrupts->switch_to(before);
    if (is_stopped) mark_stopped(L, index);
    lua_xmove(thread, L, 1);
    if (!closes_failed) states.name_error();
    results = -1;
  }
  states.end(is_suspended);
  return results;
}

// resume(thread, ...)
int resume(lua_State* L) {
  lua_State* thread = coroutine_argument(L);
  bool is_memory = false;
  const int results = resume_with(L, thread, 1, lua_gettop(L) - 1, false, &is_memory);
  lua_pushboolean(L, results >= 0);
  const int count = results >= 0 ? results : 1;
  lua_insert(L, -count - 1);
  return count + 1;
}

// The function that wrap returns: f(...)
int call_wrapped(lua_State* L) {
  lua_State* thread = lua_tothread(L, lua_upvalueindex(kThread));
  bool is_memory = false;
  const int results = resume_with(L, thread, lua_upvalueindex(kThread), lua_gettop(L), true, &is_memory);
  if (results >= 0) return results;
  if (!is_memory && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

// create(f)
int create(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  State& state = *switches_of(L).state;
  lua_State* thread = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, thread, 1);
  if (!state.is_closed()) state.scopes().start(L, thread);
  return 1;
}

// wrap(f)
int wrap(lua_State* L) {
  create(L);
  lua_pushvalue(L, lua_upvalueindex(kSwitches));
  lua_pushvalue(L, lua_upvalueindex(kState));
  lua_rotate(L, -3, 2);
  lua_pushcclosure(L, call_wrapped, kThread);
  return 1;
}

// What coroutine.status says of a coroutine that cannot be closed; null if it can.
const char* busy_status(lua_State* L, lua_State* thread) {
  lua_Debug frame;
  if (L == thread) return "running";
  return lua_status(thread) == LUA_OK && lua_getstack(thread, 0, &frame) != 0 ? "normal" : nullptr;
}

// close(thread)
int close(lua_State* L) {
  lua_State* thread = coroutine_argument(L);
  if (const char* status = busy_status(L, thread)) return luaL_error(L, "cannot close a %s coroutine", status);
  if (is_marked_stopped(L, 1)) {
    lua_pushboolean(L, 0);
    lua_pushliteral(L, "interrupted!");
    return 2;
  }
  CallStates states{.L = L, .switches = switches_of(L), .thread = 1};
  states.begin(0);
  Interrupts& interrupts = *states.switches.interrupts;
  lua_State* before = interrupts.switch_to(thread);
  const int status = lua_resetthread(thread);
  interrupts.switch_to(before);
  lua_pushboolean(L, status == LUA_OK);
  if (status != LUA_OK) lua_xmove(thread, L, 1);
  states.end(false);
  return status == LUA_OK ? 1 : 2;
}

// on_layer_error(f): f(error) adds the name of the running layer.
int on_layer_error(lua_State* L) {
  lua_settop(L, 1);
  State::set(L, kNameError);
  return 0;
}

}  // namespace

void open_call_state(lua_State* L) {
  State::push(L, kCallState);
  lua_setfield(L, -2, "running");
  lua_pushcfunction(L, on_layer_error);
  lua_setfield(L, -2, "on_layer_error");
}

void open_coroutines(lua_State* L, State& state) {
  Interrupts::push_new(L);
  auto* interrupts = static_cast<Interrupts*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  new (lua_newuserdatauv(L, sizeof(Switches), 0)) Switches{&state, interrupts, false, false};
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, set_call_state, 1);
  lua_setfield(L, -2, "__newindex");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  State::set(L, kCallState);
  for (const RegistryKey* key : {&kSuspended, &kStopped}) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    State::set(L, *key);
  }
  if (lua_getglobal(L, "coroutine") == LUA_TTABLE) {  // a host may have taken it away
    for (luaL_Reg entry : {luaL_Reg{"create", create}, {"resume", resume}, {"wrap", wrap}, {"close", close}}) {
      lua_pushvalue(L, -3);
      lua_pushvalue(L, -3);
      lua_pushcclosure(L, entry.func, kState);
      lua_setfield(L, -2, entry.name);
    }
  }
  lua_pop(L, 3);
}

}  // namespace lutra
