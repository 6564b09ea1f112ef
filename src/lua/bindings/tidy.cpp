#include "lua/bindings/tidy.h"

#include "lua/border/modules.h"
#include "lua/border/state.h"

// Note [Tidies and coroutines]
// A tidy frees tensors made while its function runs. While that function is suspended by a yield, or dead by an error,
// tensors made by other functions do not belong to it; a coroutine that has resumed another counts as running. So a
// tensor belongs to the innermost tidy of its own coroutine, else to the innermost whose coroutine is neither suspended
// nor dead.

namespace lutra {
namespace {

// Maps a mark to a table whose keys are the tensors made in it.
constexpr RegistryKey kTidyMade{};

}  // namespace

void Tidies::begin(TidyMark* mark) {
  mark->outer = innermost_;
  mark->open = true;
  innermost_ = mark;
}

void Tidies::end(TidyMark* mark) {
  TidyMark** link = &innermost_;
  while (*link != nullptr && *link != mark) link = &(*link)->outer;
  if (*link == mark) *link = mark->outer;
  mark->open = false;
}

TidyMark* Tidies::of(lua_State* L) const {
  for (TidyMark* mark = innermost_; mark != nullptr; mark = mark->outer) {
    if (mark->thread == L) return mark;
  }
  for (TidyMark* mark = innermost_; mark != nullptr; mark = mark->outer) {
    if (lua_status(mark->thread) == LUA_OK) return mark;
  }
  return nullptr;
}

void Tidies::add(lua_State* L, TidyMark* mark) {
  State::push(L, kTidyMade);
  lua_rawgetp(L, -1, mark);
  lua_pushvalue(L, -3);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

void Tidies::note(lua_State* L, const Box* box) const {
  TidyMark* mark = of(L);
  for (int i = lua_gettop(L); mark != nullptr && i > 0; --i) {
    if (lua_touserdata(L, i) != box) continue;
    lua_pushvalue(L, i);
    add(L, mark);
    lua_pop(L, 1);
    return;
  }
}

namespace {

// Ends the tidy: releases the tensors made in it, except those in the table at `kept` (0: releases all). Kept tensors
// then belong to the next tidy outwards.
void release_made(lua_State* L, State& state, TidyMark* mark, int kept) {
  if (!mark->open) return;
  state.tidies.end(mark);
  TidyMark* outer = state.tidies.of(L);
  luaL_checkstack(L, 12, nullptr);
  state.push(L, kTidyMade);
  int all = lua_gettop(L), made = all + 1;
  lua_rawgetp(L, all, mark);
  lua_pushnil(L);
  lua_rawsetp(L, all, mark);
  for (lua_pushnil(L); lua_next(L, made) != 0;) {
    lua_pop(L, 1);
    bool keep = false;
    if (kept != 0) {
      lua_pushvalue(L, -1);
      keep = lua_rawget(L, kept) != LUA_TNIL;
      lua_pop(L, 1);
    }
    Box* box = to_live_box(L, -1);
    if (keep && outer != nullptr) Tidies::add(L, outer);
    else if (!keep && box != nullptr) state.release(box);
  }
  lua_settop(L, all - 1);
}

// tidy_begin(): a mark, open in the running coroutine. Upvalues: the State, the metatable of marks, and that of the
// sets of tensors made. The sets are weak, so that garbage made inside a tidy is collected before its end.
int tidy_begin(lua_State* L) {
  State& state = state_of(L);
  TidyMark* mark = static_cast<TidyMark*>(lua_newuserdatauv(L, sizeof(TidyMark), 1));
  *mark = {nullptr, L, false};
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  lua_pushthread(L);  // lives as long as the mark
  lua_setiuservalue(L, -2, 1);
  state.push(L, kTidyMade);
  lua_newtable(L);
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_setmetatable(L, -2);
  lua_rawsetp(L, -2, mark);
  lua_pop(L, 1);
  state.tidies.begin(mark);
  return 1;
}

// Adds the tensors in the value on top of the stack, also inside tables, to the set at `set`. Pops the value.
void collect_returned(lua_State* L, int set, int depth) {
  if (to_live_box(L, -1) != nullptr) {
    lua_pushboolean(L, 1);
    lua_rawset(L, set);
    return;
  }
  if (lua_type(L, -1) == LUA_TTABLE && depth < 1000) {
    luaL_checkstack(L, 8, nullptr);
    lua_pushvalue(L, -1);
    bool seen = lua_rawget(L, set) != LUA_TNIL;
    lua_pop(L, 1);
    if (!seen) {
      lua_pushvalue(L, -1);
      lua_pushboolean(L, 1);
      lua_rawset(L, set);
      for (lua_pushnil(L); lua_next(L, -2) != 0;) {
        collect_returned(L, set, depth + 1);
        lua_pushvalue(L, -1);
        collect_returned(L, set, depth + 1);  // a tensor may be a key
      }
    }
  }
  lua_pop(L, 1);
}

// tidy_keep(mark, ...): releases the tensors made that are not in ..., and returns ....
int tidy_keep(lua_State* L) {
  TidyMark* mark = static_cast<TidyMark*>(lua_touserdata(L, 1));
  int last = lua_gettop(L);
  luaL_checkstack(L, 12, nullptr);
  lua_newtable(L);
  int set = lua_gettop(L);
  for (int i = 2; i <= last; ++i) {
    lua_pushvalue(L, i);
    collect_returned(L, set, 0);
  }
  release_made(L, state_of(L), mark, set);
  lua_settop(L, last);
  return last - 1;
}

// The mark's __close: on an error inside, releases all tensors made.
int tidy_close(lua_State* L) {
  release_made(L, state_of(L), static_cast<TidyMark*>(lua_touserdata(L, 1)), 0);
  return 0;
}

// The mark's __gc: its coroutine was collected before its end. The tensors made are garbage, too, or used elsewhere.
int tidy_collect(lua_State* L) {
  TidyMark* mark = static_cast<TidyMark*>(lua_touserdata(L, 1));
  if (!mark->open) return 0;
  State& state = state_of(L);
  state.tidies.end(mark);
  state.push(L, kTidyMade);
  lua_pushnil(L);
  lua_rawsetp(L, -2, mark);
  return 0;
}

}  // namespace

void open_tidy(lua_State* L, State& state) {
  // On top of the stack is the table of C functions for the prelude, which defines lutra.tidy.
  int core = lua_gettop(L);
  lua_newtable(L);
  state.set(L, kTidyMade);

  auto push = [L, &state](lua_CFunction function) {
    lua_pushlightuserdata(L, &state);
    lua_pushcclosure(L, function, 1);
  };
  lua_pushlightuserdata(L, &state);
  lua_newtable(L);
  push(tidy_close);
  lua_setfield(L, -2, "__close");
  push(tidy_collect);
  lua_setfield(L, -2, "__gc");
  lua_newtable(L);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_pushcclosure(L, tidy_begin, 3);
  lua_setfield(L, core, "tidy_begin");
  push(tidy_keep);
  lua_setfield(L, core, "tidy_keep");
}

}  // namespace lutra
