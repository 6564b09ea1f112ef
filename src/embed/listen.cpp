// lutra_listen and lutra_poll: the listener of lt.repl.listen (repl/attach), kept for the host in Lua's registry.
#include <cmath>

#include "embed/host.h"
#include "lua/border/guard.h"

using namespace lutra;
using namespace lutra::embed;

namespace {

struct ListenFrame {
  lutra_t* lutra;
  const char* path;
  double seconds;
  int entries;
};

void close_listener(lua_State* L, lutra_t& lutra) {
  if (lutra.listener == LUA_NOREF) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, lutra.listener);
  lua_getfield(L, -1, "close");
  lua_insert(L, -2);
  lua_call(L, 1, 0);
  luaL_unref(L, LUA_REGISTRYINDEX, lutra.listener);
  lutra.listener = LUA_NOREF;
}

// Not by a global: scripts may have changed those.
int listen_in_lua(lua_State* L) {
  ListenFrame& frame = *static_cast<ListenFrame*>(lua_touserdata(L, 1));
  lutra_t& lutra = *frame.lutra;
  close_listener(L, lutra);
  if (frame.path == nullptr) return 0;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  for (const char* field : {"lutra", "repl", "listen"}) {
    lua_getfield(L, -1, field);
    if (lua_isnil(L, -1)) return luaL_error(L, "lutra_listen: this interpreter has no lutra.repl.listen");
  }
  lua_pushstring(L, frame.path);
  lua_call(L, 1, 1);
  lutra.listener = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int poll_in_lua(lua_State* L) {
  ListenFrame& frame = *static_cast<ListenFrame*>(lua_touserdata(L, 1));
  lua_rawgeti(L, LUA_REGISTRYINDEX, frame.lutra->listener);
  lua_getfield(L, -1, "poll");
  lua_insert(L, -2);
  lua_pushnumber(L, frame.seconds);
  lua_call(L, 2, 1);
  frame.entries = static_cast<int>(lua_tointeger(L, -1));
  return 0;
}

int run(lutra_t& lutra, lua_CFunction function, ListenFrame& frame) {
  lua_pushcfunction(lutra.L, function);
  lua_pushlightuserdata(lutra.L, &frame);
  return run_protected(lutra, 1, 0);
}

}  // namespace

extern "C" {

int lutra_listen(lutra_t* lutra, const char* path) {
  Use use(lutra, "lutra_listen", true);
  if (!use) return LUTRA_ERROR;
  ListenFrame frame{lutra, path, 0, 0};
  return run(*lutra, listen_in_lua, frame);
}

int lutra_poll(lutra_t* lutra, double seconds, int* entries) {
  if (entries != nullptr) *entries = 0;
  Use use(lutra, "lutra_poll", true);
  if (!use) return LUTRA_ERROR;
  const int failed = attempt(lutra, [&] {
    require(seconds >= 0 && std::isfinite(seconds), "lutra_poll: seconds is ", seconds, ", expected 0 or more");
    if (lutra->listener == LUA_NOREF)
      fail(ErrorCode::FailedPrecondition, "lutra_poll: nothing listens; call lutra_listen first");
  });
  if (failed != LUTRA_OK) return failed;
  ListenFrame frame{lutra, nullptr, seconds, 0};
  const int status = run(*lutra, poll_in_lua, frame);
  if (entries != nullptr) *entries = frame.entries;
  return status;
}

}  // extern "C"
