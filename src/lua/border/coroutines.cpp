// coroutine.resume, wrap and close as in Lua's library, but they also notify Interrupts which coroutine runs: a Lua
// hook belongs to one coroutine, and Ctrl-C must set it in the running one.

#include "lua/border/interrupts.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// Upvalues: the Interrupts; and the thread of a wrapped function, or Lua's own close.
enum : int { kFirst = 1, kSecond };

Interrupts& interrupts_of(lua_State* L) {
  return *static_cast<Interrupts*>(lua_touserdata(L, lua_upvalueindex(kFirst)));
}

// Resumes the thread with the top `count` values. Returns the number of results, or -1 if an error is on top.
int resume_with(lua_State* L, lua_State* thread, int count) {
  if (lua_checkstack(thread, count) == 0) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  Interrupts& interrupts = interrupts_of(L);
  lua_xmove(L, thread, count);
  int results = 0;
  lua_State* before = interrupts.switch_to(thread);
  const int status = lua_resume(thread, L, count, &results);
  interrupts.switch_to(before);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(thread, L, 1);
    return -1;
  }
  if (lua_checkstack(L, results + 1) == 0) {
    lua_pop(thread, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(thread, L, results);
  return results;
}

lua_State* thread_argument(lua_State* L) {
  lua_State* thread = lua_tothread(L, 1);
  if (thread == nullptr) luaL_typeerror(L, 1, "thread");
  return thread;
}

// resume(thread, ...)
int resume(lua_State* L) {
  const int results = resume_with(L, thread_argument(L), lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  const int count = results >= 0 ? results : 1;
  lua_insert(L, -count - 1);
  return count + 1;
}

// The function that wrap returns: f(...)
int call_wrapped(lua_State* L) {
  lua_State* thread = lua_tothread(L, lua_upvalueindex(kSecond));
  const int results = resume_with(L, thread, lua_gettop(L));
  if (results >= 0) return results;
  int status = lua_status(thread);
  if (status != LUA_OK && status != LUA_YIELD) {
    // It failed: close its pending to-be-closed variables.
    Interrupts& interrupts = interrupts_of(L);
    lua_State* before = interrupts.switch_to(thread);
    status = lua_resetthread(thread);
    interrupts.switch_to(before);
    lua_xmove(thread, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 2);  // turns.lua calls it
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

// wrap(f)
int wrap(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(kFirst));
  lua_State* thread = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, thread, 1);
  lua_pushcclosure(L, call_wrapped, kSecond);
  return 1;
}

// close(thread)
int close(lua_State* L) {
  lua_State* thread = thread_argument(L);
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(kSecond));
  lua_insert(L, 1);
  Interrupts& interrupts = interrupts_of(L);
  lua_State* before = interrupts.switch_to(thread);
  const int status = lua_pcall(L, 1, LUA_MULTRET, 0);
  interrupts.switch_to(before);
  if (status != LUA_OK) return lua_error(L);
  return lua_gettop(L);
}

}  // namespace

void open_coroutines(lua_State* L) {
  Interrupts::push_new(L);
  for (luaL_Reg entry : {luaL_Reg{"resume", resume}, luaL_Reg{"wrap", wrap}}) {
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, entry.func, 1);
    lua_setfield(L, -3, entry.name);
  }
  lua_getglobal(L, "coroutine");
  lua_getfield(L, -1, "close");
  lua_remove(L, -2);
  lua_pushcclosure(L, close, 2);
  lua_setfield(L, -2, "close");
}

}  // namespace lutra
