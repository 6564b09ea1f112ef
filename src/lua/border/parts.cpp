// Submodules that are written in Lua and loaded on first use, so that they cost no start-up time: lutra.nn is
// lua/lutra/nn/init.lua. Each file is a chunk that gets the module, the tools made here and `use`, which returns the
// result of another file: use "nn.layers.layer".

#include <cstring>
#include <string>
#include <vector>

#include "lua/bindings/terminal.h"
#include "lua/bindings/workers.h"
#include "lua/border/guard.h"
#include "lua/border/interrupts.h"
#include "lua/border/lua_sources.h"
#include "lua/border/modules.h"
#include "lua/border/sandbox.h"

namespace lutra {
namespace {

constexpr RegistryKey kUse{}, kOwnGlobals{};

const LuaSource* find_source(const char* name, bool is_part) {
  constexpr std::size_t kPrefix = sizeof "lutra." - 1;
  for (std::size_t i = 0; i < kLuaSourceCount; ++i) {
    const LuaSource& source = kLuaSources[i];
    if ((source.is_part || !is_part) && std::strncmp(source.name, "lutra.", kPrefix) == 0 &&
        std::strcmp(source.name + kPrefix, name) == 0) {
      return &source;
    }
  }
  return nullptr;
}

// fail(code, text): raises an error at the user's line.
int raise_error(Args& args) {
  std::string_view code = args.string(1, "code");
  for (int i = 0; i < static_cast<int>(ErrorCode::Internal); ++i) {
    if (code == name(static_cast<ErrorCode>(i))) fail(static_cast<ErrorCode>(i), args.string(2, "text"));
  }
  fail(ErrorCode::Internal, args.string(2, "text"));
}

// refuse_word(text, word, names): fails with the text, the name nearest to the word as a hint, and all names.
int refuse_word(Args& args) {
  lua_State* L = args.L;
  std::string_view word = lua_type(L, 2) == LUA_TSTRING ? args.string(2, "word") : "";
  std::vector<const char*> names;
  for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, 3)); ++i) {
    // The string stays alive in the list.
    if (lua_rawgeti(L, 3, i) == LUA_TSTRING) names.push_back(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  std::string all;
  for (const char* name : names) append(all, text(all.empty() ? "" : ", ", name));
  fail(ErrorCode::InvalidArgument, args.string(1, "text"), name_hint(word, names),
       names.empty()       ? "; there are none"
       : names.size() == 1 ? "; there is "
                           : "; there are ",
       all);
}

// what_is(value): "a number", "nil", "\"abc\"", for error texts.
int push_what_is(Args& args) {
  push_text(args, what_is(args.L, 1));
  return 1;
}

// is_terminal(): whether stderr is a terminal, and its columns, 0 if they are not known.
int is_terminal(Args& args) {
  lua_pushboolean(args.L, is_stderr_terminal());
  lua_pushinteger(args.L, stderr_columns());
  return 2;
}

// use(name); upvalues: the module, the tools, the table of loaded files.
int use(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  if (lua_getfield(L, lua_upvalueindex(3), name) != LUA_TNIL) return 1;
  const LuaSource* source = find_source(name, false);
  if (source == nullptr) return luaL_error(L, "lutra has no part %s", name);
  const char* chunk = lua_pushfstring(L, "=[%s]", source->name);
  load_own(L, source->text, source->size, chunk);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  State::push(L, kUse);
  lua_call(L, 3, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, lua_upvalueindex(3), name);
  return 1;
}

void open_use(lua_State* L, int module) {
  State& state = *State::find(L);
  lua_pushvalue(L, module);
  lua_newtable(L);
  set_function<raise_error>(L, state, "fail", "lutra");
  set_function<refuse_word>(L, state, "refuse_word", "lutra");
  set_function<push_what_is>(L, state, "what_is", "lutra");
  set_function<is_terminal>(L, state, "is_terminal", "lutra");
  open_current_scope(L, state);
  open_call_state(L);
  open_steps(L, state);
  open_datasets(L, state);
  open_prefetch(L, state);
  open_file_rows(L, state);
  open_workers(L, state);
  open_replicas(L, state);
  open_ranks(L, state);
  open_finally(L);
  lua_pushcfunction(L, Interrupts::push_taken);
  lua_setfield(L, -2, "interrupts");
  open_tensor_questions(L);
  open_items(L, state);
  open_deadline(L);
  open_custom_gradient(L, state);
  open_description(L, state);
  open_pictures(L, state);
  open_pixels(L, state);
  open_folders(L, state);
  open_terminal(L, state);
  if (open_listen != nullptr) open_listen(L, state);
  open_profiler(L, state);
  open_plans(L, state);
  open_placement(L, state);
  open_graph_tools(L, state);
  lua_newtable(L);
  lua_pushcclosure(L, use, 3);
  State::set(L, kUse);
}

// Pushes `use`.
void push_use(lua_State* L, int module) {
  luaL_checkstack(L, 10, nullptr);
  State::push(L, kUse);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  open_use(L, module);
  State::push(L, kUse);
}

// use(module, name), for the prelude.
int use_from(lua_State* L) {
  lua_settop(L, 2);
  push_use(L, 1);
  lua_insert(L, 2);
  lua_call(L, 1, 1);
  return 1;
}

}  // namespace

void load_own(lua_State* L, const char* text, std::size_t size, const char* chunk) {
  if (luaL_loadbufferx(L, text, size, chunk, "t") != LUA_OK) lua_error(L);
  if (push_private_environment(L) != LUA_TTABLE) {
    lua_pop(L, 1);
    State::push(L, kOwnGlobals);
  }
  lua_setupvalue(L, -2, 1);
}

void keep_globals(lua_State* L) {
  const LuaSource* source = find_source("own_globals", false);
  if (luaL_loadbufferx(L, source->text, source->size, "=[lutra.own_globals]", "t") != LUA_OK) lua_error(L);
  lua_call(L, 0, 1);
  State::set(L, kOwnGlobals);
}

bool push_part(lua_State* L, int module, const char* name) {
  if (find_source(name, true) == nullptr) return false;
  push_use(L, module);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  return true;
}

void push_used(lua_State* L, const char* name) {
  lua_pushcfunction(L, luaopen_lutra);  // it is open: this pushes the module
  lua_call(L, 0, 1);
  push_use(L, lua_gettop(L));
  lua_remove(L, -2);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
}

void open_parts(lua_State* L) {
  lua_pushcfunction(L, use_from);
  lua_setfield(L, -2, "use");
}

}  // namespace lutra
