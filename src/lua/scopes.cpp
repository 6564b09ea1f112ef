#include <new>

#include "lua/guard.h"
#include "lua/modules.h"

// Device scopes as Lua objects. lutra.device itself is Lua (prelude.lua), so that the function given to it may yield.

namespace lutra {
namespace {

// A scope that is open. Its userdata is closed by <close>, or ends when it is collected.
struct ScopeObject {
  std::shared_ptr<ScopeStack> stack;
  uint64_t serial;
  int line;          // where it was opened
  char source[60];
};

ScopeObject* to_scope(lua_State* L, State& state, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_getmetatable(L, index) == 0) return nullptr;
  state.push(L, State::kScopeMeta);
  bool is_scope = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return is_scope ? static_cast<ScopeObject*>(block) : nullptr;
}

// The id of the scope `name` names, from the table of names seen before, or parsed now.
uint32_t spec_id(Args& args) {
  lua_State* L = args.L;
  State& state = args.state;
  if (lua_type(L, 1) == LUA_TSTRING) {
    state.push(L, State::kDeviceNames);
    lua_pushvalue(L, 1);
    lua_rawget(L, -2);
    if (lua_isinteger(L, -1)) {
      uint32_t id = static_cast<uint32_t>(lua_tointeger(L, -1));
      lua_pop(L, 2);
      return id;
    }
    lua_pop(L, 2);
  }
  if (lua_isnoneornil(L, 1)) {
    fail(ErrorCode::InvalidArgument, "device: the name is nil; lutra.device(false) lifts every scope, \"\" changes nothing");
  }
  return state.context().intern(DeviceSpec::parse(args.device_name(1, "name")));
}

// open(name): opens the scope in the running coroutine and returns its object.
int open_scope(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  // Read.
  uint32_t merged = 0;
  bool ok = true;
  try {
    if (state.is_closed()) fail(ErrorCode::FailedPrecondition, "device: this interpreter is being closed");
    Context& context = state.enter(L);
    Args args(L, state, "device");
    bool lifts = lua_isboolean(L, 1) && lua_toboolean(L, 1) == 0;
    uint32_t id = lifts ? 0 : spec_id(args);
    merged = lifts ? 0 : id == 0 ? context.scopes->spec() : context.scope_inside(context.scopes->spec(), id);
    // A name seen once is looked up, not parsed, the next time.
    lua_settop(L, 1);
    lua_pushinteger(L, id);
  } catch (...) {
    state.keep_current_exception();
    ok = false;
  }
  if (!ok) state.raise(L);
  // Create. From here on Lua may raise, and only the userdata owns C++ objects.
  if (lua_type(L, 1) == LUA_TSTRING) {
    state.push(L, State::kDeviceNames);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_rawset(L, -3);
  }
  lua_settop(L, 1);
  ScopeObject* scope = static_cast<ScopeObject*>(lua_newuserdatauv(L, sizeof(ScopeObject), 0));
  new (scope) ScopeObject{nullptr, 0, 0, ""};
  state.push(L, State::kScopeMeta);
  lua_setmetatable(L, -2);
  state.open_scope(L, merged, &scope->stack, &scope->serial);
  state.remember_line(L, scope->source, sizeof scope->source, &scope->line);
  return 1;
}

int close_scope(Args& args) {
  ScopeObject* scope = to_scope(args.L, args.state, 1);
  if (scope == nullptr) args.wrong(1, "scope", "a device scope");
  if (scope->stack == nullptr) return 0;
  bool in_order = scope->stack->is_innermost(scope->serial);
  scope->stack->remove(scope->serial);
  scope->stack.reset();
  if (!in_order) {
    fail(ErrorCode::FailedPrecondition, "device: the scope opened at ", scope->source, ":", scope->line,
         " was closed while one opened inside it was still open");
  }
  return 0;
}

int collect_scope(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  ScopeObject* scope = static_cast<ScopeObject*>(lua_touserdata(L, 1));
  if (scope->stack != nullptr && !state.is_closed()) {
    try {
      scope->stack->remove(scope->serial);
      state.runtime().log().line(text("WARNING: the device scope opened at ", scope->source, ":", scope->line,
                                      " was never closed and ends now; write local _ <close> = lutra.device(...)"));
    } catch (...) {
      // No memory for a warning.
    }
  }
  scope->~ScopeObject();
  new (scope) ScopeObject{nullptr, 0, 0, ""};
  return 0;
}

int collect_scopes(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  auto* handle = static_cast<std::shared_ptr<ScopeStack>*>(lua_touserdata(L, 1));
  state.forget_running(handle->get());
  handle->reset();
  return 0;
}

// current(): the id of the scope in force, 0 without one.
int current_scope(Args& args) {
  lua_pushinteger(args.L, args.state.context().scopes->spec());
  return 1;
}

// adopt(id): the running coroutine, which has no scopes yet, starts in that one.
int adopt_scope(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  if (!state.is_closed()) state.adopt_scopes(L, static_cast<uint32_t>(lua_tointeger(L, 1)));
  return 0;
}

// lutra.device(name, lutra.mispelt, x) must not open a scope without a word.
int refuse_nil_function(Args& args) {
  fail(ErrorCode::InvalidArgument, args.string(1, "who"), ": the function is nil, but arguments for it follow");
}

// require_callable(who, f): f is no function; it may still be an object that can be called.
int require_callable(Args& args) {
  lua_State* L = args.L;
  std::string_view who = args.string(1, "who");
  lua_settop(L, 2);
  bool callable = false;
  if (lua_getmetatable(L, 2) != 0) {
    lua_pushliteral(L, "__call");
    callable = lua_rawget(L, -2) != LUA_TNIL;
  }
  if (!callable) fail(ErrorCode::InvalidArgument, who, ": f is ", what_is(L, 2), ", expected a function");
  return 0;
}

void push_state_closure(lua_State* L, State& state, lua_CFunction function) {
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, function, 1);
}

}  // namespace

void open_scopes(lua_State* L, State& state) {
  push_state_closure(L, state, open_scope);
  lua_setfield(L, -2, "open_scope");
  set_function<refuse_nil_function>(L, state, "refuse_nil_function", "device");
  set_function<require_callable>(L, state, "require_callable", "device");
  set_function<current_scope>(L, state, "current_scope", "device");
  push_state_closure(L, state, adopt_scope);
  lua_setfield(L, -2, "adopt_scope");

  lua_newtable(L);
  set_function<close_scope>(L, state, "__close", "device");
  push_state_closure(L, state, collect_scope);
  lua_setfield(L, -2, "__gc");
  lua_pushstring(L, "lutra.DeviceScope");
  lua_setfield(L, -2, "__metatable");
  lua_pushstring(L, "lutra.DeviceScope");
  lua_setfield(L, -2, "__name");
  state.set(L, State::kScopeMeta);

  lua_newtable(L);
  push_state_closure(L, state, collect_scopes);
  lua_setfield(L, -2, "__gc");
  state.set(L, State::kScopesMeta);
}

}  // namespace lutra
