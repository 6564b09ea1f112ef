/* Lutra in a lua_State that belongs to the host. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <lutra.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check_at(int line, int ok, const char* got) {
  if (ok) return;
  fprintf(stderr, "attach_host.c:%d: got: %s\n", line, got);
  ++failures;
}
#define CHECK(ok) check_at(__LINE__, (ok), lutra_error(NULL))

static void run(lua_State* L, int line, const char* script) {
  int status = luaL_dostring(L, script);
  check_at(line, status == LUA_OK, status == LUA_OK ? "" : luaL_tolstring(L, -1, NULL));
  lua_settop(L, 0);
}

/* A C function of the host: doubles the tensor that it is given, in C. */
static int twice(lua_State* L) {
  lutra_t* lutra = lua_touserdata(L, lua_upvalueindex(1));
  lutra_tensor *given = lutra_tensor_at(lutra, L, 1), *made = NULL;
  float numbers[40];
  size_t i, bytes = lutra_tensor_bytes(given);
  int failed = given == NULL || bytes > sizeof numbers || lutra_tensor_read(given, numbers, bytes) != 0;
  for (i = 0; !failed && i < bytes / sizeof(float); ++i) numbers[i] *= 2;
  failed = failed || lutra_tensor_new(lutra, LUTRA_FLOAT32, lutra_tensor_rank(given), lutra_tensor_shape(given),
                                      numbers, bytes, &made) != 0;
  failed = failed || lutra_tensor_push(lutra, L, made) != 0;
  lutra_tensor_release(given);
  lutra_tensor_release(made);
  return failed ? luaL_error(L, "twice: %s", lutra_error(NULL)) : 1;
}

static volatile int started = 0;
static int note_start(lua_State* L) {
  (void)L;
  started = 1;
  return 0;
}

static void* interrupt(void* lutra) {
  while (!started) {
  }
  lutra_interrupt(lutra);
  return NULL;
}

static int count_tensors(lua_State* L) {
  lua_pushinteger(L, ++*(int*)lua_touserdata(L, lua_upvalueindex(1)));
  return 1;
}

/* Limits hold in the calls of lutra.h; what the host runs itself has none but tensors' memory. */
static void test_limits(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  lua_State* L = luaL_newstate();
  lutra_t* lutra;
  luaL_openlibs(L);
  options.lua_memory_mb = 0.1;
  CHECK(lutra_attach(L, &options) == NULL && strstr(lutra_error(NULL), "this lua_State takes") != NULL);
  lua_close(L);

  L = luaL_newstate();
  luaL_openlibs(L);
  options.lua_memory_mb = 8;
  options.instructions = 1000000;
  options.tensors = 50;
  options.tensor_memory_mb = 4;
  lutra = lutra_attach(L, &options);
  CHECK(lutra != NULL);
  CHECK(lutra_run_string(lutra, "while true do pcall(error) end", "loop") == LUTRA_LIMIT);
  CHECK(strstr(lutra_error(lutra), "1000000 instructions") != NULL);
  CHECK(lutra_run_string(lutra, "kept = {} for i = 1, 200 do kept[i] = lt.zeros {100} end", "many") == LUTRA_LIMIT);
  CHECK(strstr(lutra_error(lutra), "50 tensors") != NULL);
  CHECK(lutra_run_string(lutra, "kept = nil", "free") == 0);
  CHECK(lutra_run_string(lutra, "lt.ones {2000, 2000}", "large") == LUTRA_LIMIT);
  CHECK(strstr(lutra_error(lutra), "4 MB of tensors") != NULL);
  CHECK(lutra_run_string(lutra, "s = {} for i = 1, 90000 do s[i] = {i} end", "tables") == LUTRA_LIMIT);
  CHECK(strstr(lutra_error(lutra), "8 MB of Lua's memory") != NULL);
  CHECK(lutra_run_string(lutra, "s = nil", "free") == 0);
  CHECK(lutra_run_string(lutra, "s = ('x'):rep(3e5) assert(#s == 3e5)", "string") == 0);
  run(L, __LINE__, "s = ('x'):rep(3e7) s = nil for i = 1, 3e6 do n = i end assert(n == 3e6)");
  CHECK(lutra_run_string(lutra, "n = lt.ones {3}:sum():item() assert(n == 3)", "after") == 0);
  lua_close(L);

  L = luaL_newstate();
  luaL_openlibs(L);
  options = (lutra_options)LUTRA_OPTIONS_INIT;
  options.sandbox = 1;
  CHECK(lutra_attach(L, &options) == NULL && strstr(lutra_error(NULL), "use lutra_open") != NULL);
  options.sandbox = 0;
  options.runtime = lutra_runtime_open(NULL);
  CHECK(lutra_attach(L, &options) == NULL && strstr(lutra_error(NULL), "take turns") != NULL);
  lutra_runtime_close(options.runtime);
  lua_close(L);
}

int main(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  lua_State* L = luaL_newstate();
  lutra_t *lutra, *foreign;
  lutra_tensor* kept;
  lutra_value out = LUTRA_VALUE_INIT, in;
  pthread_t thread;
  int i, count = 0;
  float number = 0;
  luaL_openlibs(L);
  run(L, __LINE__, "before = print");
  options.sim_gpus = 2;
  options.device = "/GPU:1";
  lutra = lutra_attach(L, &options);
  CHECK(lutra != NULL && lua_gettop(L) == 0);
  CHECK(lutra_attach(L, NULL) == lutra);
  run(L, __LINE__, "assert(lt == lutra and require 'lutra' == lt and print == before)");
  run(L, __LINE__, "assert(lt.ones{200}.device:find 'GPU:1')");
  /* Errors are Lua errors of the host's own calls. */
  run(L, __LINE__,
      "local ok, err = pcall(lt.matmul, lt.ones{2}, lt.ones{3, 3}) assert(not ok and lt.iserror(err, "
      "'InvalidArgument'))");
  CHECK(luaL_dostring(L, "\n\nlt.cast({1}, 'float99')") != LUA_OK &&
        strstr(luaL_tolstring(L, -1, NULL), ":3: ") != NULL);
  lua_settop(L, 0);

  lua_pushlightuserdata(L, lutra);
  lua_pushcclosure(L, twice, 1);
  lua_setglobal(L, "twice");
  run(L, __LINE__, "for i = 1, 200 do assert(twice(lt.fill({20}, i + 0.0)):sum():item() == 40 * i) end");
  run(L, __LINE__, "assert(not pcall(twice, 7) and not pcall(twice))");
  run(L, __LINE__, "coroutine.wrap(function() assert(twice(lt.ones{3}):sum():item() == 6) end)()");

  CHECK(lutra_call(lutra, "lt.ones", (in = lutra_integer(3), &in), 1, &out, 1, NULL) == 0 && out.type == LUTRA_TENSOR);
  kept = out.as.tensor;
  CHECK(lutra_run_string(lutra, "error 'x'", "=own") == LUTRA_ERROR && strstr(lutra_error(lutra), "own:1: x") != NULL);
  CHECK(lutra_run_string(lutra, "y = 5", NULL) == 0 && lua_gettop(L) == 0);
  lua_getglobal(L, "y");
  CHECK(lua_tointeger(L, 1) == 5);
  lua_pop(L, 1);
  CHECK(lutra_set_print(lutra, NULL, NULL) != 0 && strstr(lutra_error(lutra), "prints as its host") != NULL);
  lutra_close(lutra); /* the host closes it by lua_close */
  CHECK(lutra_run_string(lutra, "y = 6", NULL) == 0);

  /* Interrupts end what the host runs itself, again and again. */
  lua_pushcfunction(L, note_start);
  lua_setglobal(L, "started");
  for (i = 0; i < 5; ++i) {
    started = 0;
    pthread_create(&thread, NULL, interrupt, lutra);
    CHECK(luaL_dostring(L, "started() while true do end") != LUA_OK &&
          strstr(lua_tostring(L, -1), "interrupted!") != NULL);
    lua_settop(L, 0);
    pthread_join(thread, NULL);
    run(L, __LINE__, "assert(lt.ones{3}:sum():item() == 3)");
  }

  /* Finalizers may use Lutra until the end. */
  lua_pushlightuserdata(L, &count);
  lua_pushcclosure(L, count_tensors, 1);
  lua_setglobal(L, "count");
  run(L, __LINE__,
      "setmetatable({}, {__gc = function() if lt.ones{300}:sum():item() == 300 then count() end end}) g = "
      "lt.ones{500}");
  lua_close(L);
  CHECK(count == 1);
  CHECK(lutra_tensor_owner(kept) == NULL && lutra_tensor_shape(kept)[0] == 3);
  CHECK(lutra_tensor_data(kept) == NULL && lutra_tensor_read(kept, &number, 4) != 0);
  lutra_tensor_release(kept);

  test_limits();
  CHECK(lutra_attach(NULL, NULL) == NULL && strstr(lutra_error(NULL), "the lua_State is NULL") != NULL);
  L = luaL_newstate(); /* without libraries */
  CHECK(lutra_attach(L, NULL) == NULL && strstr(lutra_error(NULL), "open Lua's libraries first") != NULL);
  luaL_openlibs(L);
  foreign = lutra_attach(L, NULL);
  CHECK(foreign != NULL && lutra_run_string(foreign, "t = lt.ones{2} + 1", NULL) == 0);
  lua_close(L);
  if (failures == 0) puts("attach_host: all well");
  return failures != 0;
}
