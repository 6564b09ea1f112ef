#include "lua/guard.h"
#include "lua/modules.h"

// synchronize, and the two C functions lutra.tidy (prelude.lua) is made of.

namespace lutra {
namespace {

int synchronize(Args& args) {
  args.at_most(1);
  LogicalDevice* device = args.has(1) ? &args.logical_device(1, "device") : nullptr;
  args.state.runtime().synchronize(device);
  return 0;
}

// A tidy in progress: what was made since `first` in the table of made tensors.
struct TidyMark {
  lua_Integer first;
  bool open;
};

void release_made(lua_State* L, State& state, TidyMark* mark, bool keep_marked) {
  if (!mark->open) return;
  mark->open = false;
  state.count_tidy(-1);
  state.push(L, State::kTidyMade);
  int made = lua_gettop(L);
  lua_Integer last = static_cast<lua_Integer>(lua_rawlen(L, made));
  lua_Integer kept = mark->first;
  for (lua_Integer i = mark->first + 1; i <= last; ++i) {
    lua_rawgeti(L, made, i);
    Box* box = to_live_box(L, -1);
    bool keep = false;
    if (keep_marked) {
      lua_pushvalue(L, -1);
      keep = lua_rawget(L, made - 1) != LUA_TNIL;  // the set of what is returned lies below
      lua_pop(L, 1);
    }
    if (box != nullptr && !keep) state.release(box);
    lua_pushnil(L);
    lua_rawseti(L, made, i);
    // What an inner tidy returns belongs to the outer one.
    if (keep && state.tidies() > 0) lua_rawseti(L, made, ++kept);
    else lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

int tidy_begin(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  TidyMark* mark = static_cast<TidyMark*>(lua_newuserdatauv(L, sizeof(TidyMark), 0));
  *mark = {0, false};
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  state.push(L, State::kTidyMade);
  mark->first = static_cast<lua_Integer>(lua_rawlen(L, -1));
  lua_pop(L, 1);
  mark->open = true;
  state.count_tidy(1);
  return 1;
}

// Adds the tensors in the value on top of the stack, also inside tables, to the set at `set`. Pops the value.
void collect_returned(lua_State* L, int set, int depth) {
  if (to_live_box(L, -1) != nullptr) {
    lua_pushboolean(L, 1);
    lua_rawset(L, set);
    return;
  }
  if (lua_type(L, -1) == LUA_TTABLE && depth < 100) {
    luaL_checkstack(L, 8, nullptr);
    lua_pushvalue(L, -1);
    bool seen = lua_rawget(L, set) != LUA_TNIL;
    lua_pop(L, 1);
    if (!seen) {
      lua_pushvalue(L, -1);
      lua_pushboolean(L, 1);
      lua_rawset(L, set);
      for (lua_pushnil(L); lua_next(L, -2) != 0;) collect_returned(L, set, depth + 1);
    }
  }
  lua_pop(L, 1);
}

// tidy_keep(mark, ...): returns ..., having released what was made and is not among it.
int tidy_keep(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  TidyMark* mark = static_cast<TidyMark*>(lua_touserdata(L, 1));
  int last = lua_gettop(L);
  luaL_checkstack(L, 12, nullptr);
  lua_newtable(L);
  int set = lua_gettop(L);
  for (int i = 2; i <= last; ++i) {
    lua_pushvalue(L, i);
    collect_returned(L, set, 0);
  }
  release_made(L, state, mark, true);
  lua_settop(L, last);
  return last - 1;
}

// The mark's __close: an error inside releases everything that was made.
int tidy_close(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  release_made(L, state, static_cast<TidyMark*>(lua_touserdata(L, 1)), false);
  return 0;
}

}  // namespace

void open_memory(lua_State* L, State& state) {
  // Below the module lies the table of C functions for the prelude.
  int module = lua_gettop(L), core = module - 1;
  set_function<synchronize>(L, state, "synchronize", "synchronize");
  lua_newtable(L);
  state.set(L, State::kTidyMade);

  lua_pushlightuserdata(L, &state);
  lua_newtable(L);
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, tidy_close, 1);
  lua_setfield(L, -2, "__close");
  lua_pushcclosure(L, tidy_begin, 2);
  lua_setfield(L, core, "tidy_begin");
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, tidy_keep, 1);
  lua_setfield(L, core, "tidy_keep");
}

}  // namespace lutra
