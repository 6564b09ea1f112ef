// Device scopes as Lua objects. lutra.device itself is Lua (prelude.lua), so that the function given to it may yield.

#include <cstring>

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// An open scope. Its userdata is closed by <close>, or when it is collected.
struct ScopeObject {
  uintptr_t cookie;         // like a Box's, but of another kind
  CoroutineScopes* scopes;  // null: closed
  uint64_t serial;
  int line;  // where it was opened
  char source[LUA_IDSIZE];

  uintptr_t live_cookie() const { return ~reinterpret_cast<uintptr_t>(this) ^ (Box::secret_ << 1); }
};

ScopeObject* to_scope(lua_State* L, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_rawlen(L, index) != sizeof(ScopeObject)) return nullptr;
  ScopeObject* scope = static_cast<ScopeObject*>(block);
  return scope->cookie == scope->live_cookie() ? scope : nullptr;
}

// Upvalues of device: the State, the ids of names seen before, the scopes' metatable, the function form (prelude.lua).
constexpr int kNames = 2, kScopeMeta = 3, kFunctionForm = 4;
// Up to so many spellings are remembered; then all are forgotten, and those in use are added again.
constexpr std::size_t kMostNames = 4096;

// The id of the scope that argument 1 names. *is_new: the name is not among those remembered.
uint32_t named_spec(lua_State* L, State& state, bool* is_new) {
  *is_new = false;
  if (lua_type(L, 1) == LUA_TSTRING) {
    lua_pushvalue(L, 1);
    bool known = lua_rawget(L, lua_upvalueindex(kNames)) == LUA_TNUMBER;
    uint32_t id = known ? static_cast<uint32_t>(lua_tointeger(L, -1)) : 0;
    lua_pop(L, 1);
    if (known) return id;
    *is_new = true;
  }
  if (lua_isnoneornil(L, 1)) {
    fail(ErrorCode::InvalidArgument,
         "device: the name is nil; lutra.device(false) lifts every scope, \"\" changes nothing");
  }
  Args args(L, state, "device");
  return state.context().intern(args.device_spec(1, "name"));
}

// Returns all values above the `given` arguments.
int return_all(lua_State* L, int, lua_KContext given) { return lua_gettop(L) - static_cast<int>(given); }

// device(name): opens the scope in the running coroutine and returns its object.
int device(lua_State* L) {
  State& state = state_of(L);
  if (int given = lua_gettop(L); given > 1) {
    // The arguments stay on the stack, for error messages.
    luaL_checkstack(L, given + 1, nullptr);
    lua_pushvalue(L, lua_upvalueindex(kFunctionForm));
    for (int i = 1; i <= given; ++i) lua_pushvalue(L, i);
    lua_callk(L, given, LUA_MULTRET, given, return_all);
    return return_all(L, LUA_OK, given);
  }
  if (state.is_closed()) {
    state.attempt_or_raise(L, [] { fail(ErrorCode::FailedPrecondition, "device: this interpreter is being closed"); });
  }
  lua_settop(L, 1);
  // Create. Whatever may run a finalizer comes before ids are looked up, as a finalizer may make the State forget
  // names.
  ScopeObject* scope = static_cast<ScopeObject*>(lua_newuserdatauv(L, sizeof(ScopeObject), 0));
  *scope = {0, nullptr, 0, 0, ""};
  scope->cookie = scope->live_cookie();
  lua_pushvalue(L, lua_upvalueindex(kScopeMeta));
  lua_setmetatable(L, -2);
  state.scopes().make(L);
  bool forgets = state.scopes().names >= kMostNames || state.context().has_many_specs();
  if (forgets) [[unlikely]] {
    // The table is replaced first: it must not have an id that has been given to another name.
    lua_newtable(L);
    lua_replace(L, lua_upvalueindex(kNames));
  }
  // Read.
  uint32_t id = 0, merged = 0;
  bool is_new = false;
  state.attempt_or_raise(L, [&] {
    if (forgets) state.scopes().forget_names();
    Context& context = state.enter(L);
    bool lifts = lua_isboolean(L, 1) && lua_toboolean(L, 1) == 0;
    if (!lifts) {
      id = named_spec(L, state, &is_new);
      merged = context.scope_inside(context.scopes->spec(), id);
    }
    state.scopes().open(merged, &scope->scopes, &scope->serial);
  });
  if (is_new) {
    lua_pushvalue(L, 1);
    lua_pushinteger(L, id);
    lua_rawset(L, lua_upvalueindex(kNames));
    ++state.scopes().names;
  }
  lua_Debug frame;
  if (find_script_frame(L, &frame, 1)) {
    scope->line = frame.currentline;
    std::memcpy(scope->source, frame.short_src, sizeof scope->source);
  }
  return 1;
}

// "lutra.DeviceScope('/device:GPU:1', train.lua:7)"
int scope_text(Args& args) {
  ScopeObject* scope = to_scope(args.L, 1);
  if (scope == nullptr) args.wrong(1, "scope", "a device scope");
  std::string shown = "lutra.DeviceScope(closed)";
  if (scope->scopes != nullptr) {
    const std::string& name = args.state.context().spec_text(scope->scopes->stack.spec_of(scope->serial));
    shown =
        text("lutra.DeviceScope('", name, "'", scope->line > 0 ? text(", ", scope->source, ":", scope->line) : "", ")");
  }
  protect(args.L, 1, [&](lua_State* L) {
    lua_pushlstring(L, shown.data(), shown.size());
    return 1;
  });
  return 1;
}

// Ends the scope; the object refers to no scope from then on.
void end_scope(State& state, ScopeObject* scope) {
  scope->scopes->stack.remove(scope->serial);
  state.scopes().release(scope->scopes);
  scope->scopes = nullptr;
}

// __close. Afterwards the object has a metatable (upvalue 2) without __gc, so that its collection costs nothing.
// Closing it again does nothing. A scope that is closed in the wrong order is an error, but ends.
int close_scope(lua_State* L) {
  State& state = state_of(L);
  ScopeObject* scope = to_scope(L, 1);
  if (scope == nullptr || scope->scopes == nullptr || state.is_closed()) return 0;
  const char* problem = nullptr;
  if (!state.scopes().are_of(L, scope->scopes))
    problem = " was closed in another coroutine than the one that opened it";
  else if (!scope->scopes->stack.is_innermost(scope->serial))
    problem = " was closed while one opened inside it was still open";
  end_scope(state, scope);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, 1);
  if (problem == nullptr) return 0;
  state.attempt_or_raise(L, [&] {
    fail(ErrorCode::FailedPrecondition, "device: the scope opened at ", scope->source, ":", scope->line, problem);
  });
  return 0;
}

// scope:close()
int close_by_hand(lua_State* L) {
  if (to_scope(L, 1) == nullptr) {
    state_of(L).attempt_or_raise(L, [&] {
      fail(ErrorCode::InvalidArgument, "close: ", what_is(L, 1), " is no device scope; write scope:close()");
    });
  }
  return close_scope(L);
}

int collect_scope(lua_State* L) {
  State& state = state_of(L);
  ScopeObject* scope = to_scope(L, 1);
  if (scope == nullptr || scope->scopes == nullptr || state.is_closed()) return 0;
  const bool is_to_blame = state.scopes().is_to_blame(L, scope->scopes);
  end_scope(state, scope);
  if (!is_to_blame) return 0;
  try {
    state.runtime().log().line(
        text("WARNING: the device scope opened at ", scope->source, ":", scope->line,
             " was never closed and ends now; write local _ <close> = lutra.device(...), or scope:close()"));
  } catch (...) {
    // No memory for a warning.
  }
  return 0;
}

int collect_scopes(lua_State* L) {
  State& state = state_of(L);
  auto* handle = static_cast<CoroutineScopes**>(lua_touserdata(L, 1));
  if (*handle != nullptr && !state.is_closed()) state.scopes().release(*handle);
  *handle = nullptr;
  return 0;
}

// current_scope(): the name of the current scope, "" without one.
int current_scope(lua_State* L) {
  State& state = state_of(L);
  if (state.is_closed()) {
    lua_pushliteral(L, "");
    return 1;
  }
  Context& context = state.enter(L);
  const std::string& name = context.spec_text(context.scopes->spec());
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

// is_innermost_scope(scope): whether no other scope is open inside it.
int is_innermost_scope(lua_State* L) {
  const ScopeObject* scope = to_scope(L, 1);
  const bool is_open = scope != nullptr && scope->scopes != nullptr && !state_of(L).is_closed();
  lua_pushboolean(L, !is_open || scope->scopes->stack.is_innermost(scope->serial));
  return 1;
}

// require_callable(who, f): f is not a function; fails unless it is a callable object.
int require_callable(Args& args) {
  lua_State* L = args.L;
  std::string_view who = args.string(1, "who");
  lua_settop(L, 2);
  bool callable = false;
  // A tensor and its shape have a __call, which raises an error.
  if (to_box(L, 2) == nullptr && !is_shape(L, 2) && lua_getmetatable(L, 2) != 0) {
    lua_pushliteral(L, "__call");
    callable = lua_rawget(L, -2) != LUA_TNIL;
  }
  if (!callable) fail(ErrorCode::InvalidArgument, who, ": f is ", what_is(L, 2), ", expected a function");
  return 0;
}

// refuse_arguments(method, ...): fails, as this method of a tensor takes no arguments.
int refuse_arguments(Args& args) {
  int given = args.count() - 1;
  std::string_view method = args.string(1, "method");
  fail(ErrorCode::InvalidArgument, method, ": ", given, given == 1 ? " argument" : " arguments",
       " given, expected t:", method, "()");
}

void push_state_closure(lua_State* L, State& state, lua_CFunction function) {
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, function, 1);
}

}  // namespace

void open_current_scope(lua_State* L, State& state) {
  push_state_closure(L, state, current_scope);
  lua_setfield(L, -2, "current_scope");
  push_state_closure(L, state, is_innermost_scope);
  lua_setfield(L, -2, "is_innermost_scope");
}

void open_scopes(lua_State* L, State& state) {
  // The stack: ..., the module, the table of C functions for the prelude.
  set_function<require_callable>(L, state, "require_callable", "device");
  set_function<refuse_arguments>(L, state, "refuse_arguments", "lutra");
  lua_newtable(L);
  push_state_closure(L, state, collect_scopes);
  lua_setfield(L, -2, "__gc");
  ScopeBook::set_handle_meta(L);
}

void open_device(lua_State* L, State& state) {
  // The stack: ..., the function form, which uses this function; device replaces it.
  lua_pushlightuserdata(L, &state);
  lua_newtable(L);
  for (const char* name : {"lutra.DeviceScope", "lutra.DeviceScope (closed)"}) {
    lua_newtable(L);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__metatable");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    set_function<scope_text>(L, state, "__tostring", "tostring");
  }
  // Both get the methods.
  lua_createtable(L, 0, 1);
  lua_pushlightuserdata(L, &state);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, close_by_hand, 2);
  lua_setfield(L, -2, "close");
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "__index");
  lua_setfield(L, -2, "__index");
  push_state_closure(L, state, close_scope);
  lua_setfield(L, -2, "__close");
  lua_pushlightuserdata(L, &state);
  lua_insert(L, -2);
  lua_pushcclosure(L, close_scope, 2);
  lua_setfield(L, -2, "__close");
  push_state_closure(L, state, collect_scope);
  lua_setfield(L, -2, "__gc");
  lua_pushvalue(L, -4);
  lua_pushcclosure(L, device, 4);
  lua_replace(L, -2);
}

}  // namespace lutra
