// Limits how long Lua may run, to stop a replica that does not return.

#include <algorithm>
#include <chrono>

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// {seconds, the time of the deadline}; nil while there is none.
constexpr RegistryKey kDeadline{};

// Lua instructions between two checks of the clock. Each error halves the interval, so that a loop around pcall soon
// gets an error outside the pcall.
constexpr int kInstructions = 100000;

void look_at_clock(lua_State* L, lua_Debug*);

void look_every(lua_State* L, int instructions) { lua_sethook(L, look_at_clock, LUA_MASKCOUNT, instructions); }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void look_at_clock(lua_State* L, lua_Debug*) {
  State::push(L, kDeadline);
  double seconds = 0, till = 0;
  if (lua_type(L, -1) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    seconds = lua_tonumber(L, -2);
    till = lua_tonumber(L, -1);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  State* state = State::find(L);
  if (state == nullptr) return;
  const int instructions = lua_gethookcount(L);
  if (till == 0 || now() <= till) {
    if (instructions != kInstructions) look_every(L, kInstructions);
    return;
  }
  look_every(L, std::max(instructions / 2, 1));
  state->attempt_or_raise(L, [&] {
    fail(ErrorCode::DeadlineExceeded, "it has come to no collective, nor to its end, in ", seconds, " seconds");
  });
}

// heed_deadline(thread): that coroutine, and coroutines that it makes, which inherit its hook, end in DeadlineExceeded
// once the current deadline has passed.
int heed_deadline(lua_State* L) {
  lua_State* thread = lua_tothread(L, 1);
  if (thread != nullptr) look_every(thread, kInstructions);
  return 0;
}

// set_deadline([seconds]): sets the deadline to `seconds` from now; without seconds, removes it.
int set_deadline(lua_State* L) {
  if (lua_isnoneornil(L, 1)) {
    lua_pushnil(L);
  } else {
    const double seconds = luaL_checknumber(L, 1);
    lua_createtable(L, 2, 0);
    lua_pushnumber(L, seconds);
    lua_rawseti(L, -2, 1);
    lua_pushnumber(L, now() + seconds);
    lua_rawseti(L, -2, 2);
  }
  State::set(L, kDeadline);
  return 0;
}

}  // namespace

void open_deadline(lua_State* L) {
  lua_pushcfunction(L, heed_deadline);
  lua_setfield(L, -2, "heed_deadline");
  lua_pushcfunction(L, set_deadline);
  lua_setfield(L, -2, "set_deadline");
}

}  // namespace lutra
