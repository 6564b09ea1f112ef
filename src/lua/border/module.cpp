// Opens the module `lutra`: its State and its parts.

#include <cstring>
#include <new>

#include "core/version.h"
#include "lua/bindings/tensor_api.h"
#include "lua/border/lua_sources.h"
#include "lua/border/modules.h"
#include "lua/border/sandbox.h"
#include "lua/ops/op_call.h"

namespace lutra {
namespace {

// The State is made in one protected step, so that a C++ error does not meet a Lua frame.
constexpr RegistryKey kModuleKey{};

int close_state(lua_State* L) {
  static_cast<State*>(lua_touserdata(L, 1))->close();
  return 0;
}

State* new_state(lua_State* L) {
  void* block = lua_newuserdatauv(L, sizeof(State), 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State* main = lua_tothread(L, -1);
  lua_pop(L, 1);
  State* state = nullptr;
  char problem[256] = "";
  bool use_environment = lua_getfield(L, LUA_REGISTRYINDEX, "LUA_NOENV") == LUA_TNIL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kSharedRuntime);
  auto* shared = static_cast<const std::shared_ptr<Runtime>*>(lua_touserdata(L, -1));
  lua_pop(L, 2);
  // Whatever may raise comes before the State, since only its metatable closes it.
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_state);
  lua_setfield(L, -2, "__gc");
  try {
    state = new (block) State(main, shared != nullptr ? *shared : nullptr);
    if (use_environment && shared == nullptr) apply_environment(state->runtime());
    if (use_environment) apply_environment(state->context());
  } catch (const std::exception& error) {
    std::strncpy(problem, error.what(), sizeof problem - 1);
    if (state != nullptr) state->~State();
    state = nullptr;
  }
  if (state == nullptr) luaL_error(L, "lutra cannot start: %s", problem);
  lua_setmetatable(L, -2);
  // Never collected before the interpreter closes: the registry holds it.
  State::adopt(L);
  return state;
}

void make_tables(lua_State* L) {
  for (const RegistryKey* key :
       {&State::kTensorMeta, &State::kStoredTensorMeta, &State::kVariableMeta, &State::kMethods}) {
    lua_newtable(L);
    State::set(L, *key);
  }
  ScopeBook::open_tables(L);
}

}  // namespace

void run_prelude(lua_State* L, State&) {
  // The stack: ..., the C functions, the module.
  int module = lua_gettop(L), core = module - 1;
  for (std::size_t i = 0; i < kLuaSourceCount; ++i) {
    const LuaSource& source = kLuaSources[i];
    if (std::strcmp(source.name, "lutra.prelude") != 0) continue;
    load_own(L, source.text, source.size, "=[lutra.prelude]");
    lua_pushvalue(L, module);
    lua_pushvalue(L, core);
    lua_call(L, 2, 0);
  }
}

}  // namespace lutra

extern "C" [[gnu::visibility("default")]] int luaopen_lutra(lua_State* L) {
  using namespace lutra;
  luaL_checkversion(L);
  luaL_checkstack(L, 20, nullptr);
  State* known = State::find(L);
  if (known != nullptr) {
    known->push(L, kModuleKey);
    if (!lua_isnil(L, -1)) return 1;
    lua_pop(L, 1);  // opening it ran out of memory the last time
  }
  State& state = known != nullptr ? *known : *new_state(L);
  make_tables(L);
  state.push(L, State::kMethods);
  lua_newtable(L);  // the module
  bind_ops(L, state);
  open_constants(L, state);
  open_exchange(L, state);
  open_files(L, state);
  open_settings(L, state);
  open_timing(L, state);
  open_graphs(L, state);
  open_errors(L, state);
  open_shapes(L, state);
  lua_pushliteral(L, LUTRA_VERSION);
  lua_setfield(L, -2, "version");
  open_config(L, state);
  open_devices(L);
  open_debugging(L, state);
  open_tape(L, state);
  lua_insert(L, -2);
  open_tensor_api(L, state);
  open_variables(L, state);
  open_updates(L, state);
  lua_pop(L, 1);    // the methods
  lua_newtable(L);  // C functions for the prelude
  state.push(L, State::kMethods);
  lua_setfield(L, -2, "methods");
  state.push(L, State::kVariableMethods);
  lua_setfield(L, -2, "variable_methods");
  open_scopes(L, state);
  open_coroutines(L, state);
  open_tidy(L, state);
  open_help(L, state);
  open_tape_methods(L);
  open_parts(L);
  lua_insert(L, -2);
  if (push_private_environment(L) != LUA_TTABLE) keep_globals(L);
  lua_pop(L, 1);
  run_prelude(L, state);
  lua_getfield(L, -1, "device");
  open_device(L, state);
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "device");  // for the function form
  lua_setfield(L, -2, "device");
  lua_remove(L, -2);
  open_suggestions(L, state);
  lua_pushvalue(L, -1);
  state.set(L, kModuleKey);
  return 1;
}
