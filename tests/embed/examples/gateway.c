/* A host that has a lua_State of its own, as web servers with Lua do: each request is a coroutine of a handler script,
 * which waits for the "network" by yielding. lutra_attach gives the handlers tensors.
 *   cc gateway.c $(pkg-config --cflags --libs lutra lua5.4) && ./a.out */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <lutra.h>
#include <stdio.h>

enum { REQUESTS = 8 };

static const char handlers[] =
    "local weights = lt.constant {0.5, -1.0, 2.0}\n"
    "function handle(id)\n"
    "  local features = lt.constant {id, 1.0, receive()}\n"
    "  local score = lt.dot(features, weights)\n"
    "  if id == 5 then lt.matmul(features, lt.ones {4}) end\n" /* a bug of one request */
    "  return ('request %d: %.1f'):format(id, score:item())\n"
    "end\n";

/* receive(): yields until the host has something for the request. */
static int receive(lua_State* L) { return lua_yield(L, 0); }

int main(void) {
  lua_State* L = luaL_newstate();
  lua_State* requests[REQUESTS];
  int i, results, status, failed = 0;
  luaL_openlibs(L);
  if (lutra_attach(L, NULL) == NULL) {
    fprintf(stderr, "gateway: %s\n", lutra_error(NULL));
    return 1;
  }
  lua_pushcfunction(L, receive);
  lua_setglobal(L, "receive");
  if (luaL_dostring(L, handlers) != LUA_OK) {
    fprintf(stderr, "gateway: %s\n", lua_tostring(L, -1));
    return 1;
  }
  /* All requests begin and wait; the coroutines stay on L's stack. */
  for (i = 0; i < REQUESTS; ++i) {
    requests[i] = lua_newthread(L);
    lua_getglobal(requests[i], "handle");
    lua_pushinteger(requests[i], i + 1);
    status = lua_resume(requests[i], L, 1, &results);
    if (status != LUA_YIELD) return 1;
  }
  /* What they wait for comes in another order. */
  for (i = REQUESTS - 1; i >= 0; --i) {
    lua_pushnumber(requests[i], i / 2.0);
    status = lua_resume(requests[i], L, 1, &results);
    puts(luaL_tolstring(requests[i], -1, NULL));
    failed += status != LUA_OK;
  }
  lua_close(L);
  return failed == 1 ? 0 : 1; /* the one with the bug */
}
