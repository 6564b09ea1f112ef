/* A host that runs hostile scripts in a sandbox, one after another in the same interpreter, and goes on. */
#include <lutra.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failures = 0;

static void check(int ok, const char* what, const char* got) {
  if (ok) return;
  fprintf(stderr, "sandbox_host: %s; got: %s\n", what, got);
  ++failures;
}

struct Hostile {
  const char* script;
  const char* says; /* in lutra_error */
  const char* code;
};

static const char kMemory[] = "the limit of 16 MB of Lua's memory was passed";
static const char kTensors[] = "the limit of 32 MB of tensors on a device was passed";
static const char kSeconds[] = "the deadline of 0.3 seconds has passed";
static const char kExhausted[] = "ResourceExhausted", kLate[] = "DeadlineExceeded";

static const struct Hostile kHostile[] = {
    {"while true do end", kSeconds, kLate},
    {"pcall(function() while true do end end)", kSeconds, kLate},
    {"while true do pcall(pcall, error) end", kSeconds, kLate},
    {"xpcall(function() while true do end end, function() while true do end end)", kSeconds, kLate},
    {"error(setmetatable({}, {__tostring = function() while true do end end}))", kSeconds, kLate},
    {"coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()", kSeconds, kLate},
    {"local c <close> = setmetatable({}, {__close = function() while true do end end})", kSeconds, kLate},
    {"string.rep('a', 100000):find('.-.-.-b')", kSeconds, kLate},
    {"table.move({}, 1, math.maxinteger - 1, 1)", kSeconds, kLate},
    {"while true do lt.matmul(lt.ones{300, 300}, lt.ones{300, 300}) end", kSeconds, kLate},
    {"held = {} while true do held[#held + 1] = {} end", kMemory, kExhausted},
    {"held = nil", NULL, ""},
    {"local s = 'x' while true do s = s .. s end", kMemory, kExhausted},
    {"for i = 1, 5 do pcall(string.rep, 'x', 1 << 30) end", kMemory, kExhausted},
    {"local t = {} while true do pcall(function() t[#t + 1] = lt.ones{1 << 20} end) end", kTensors, kExhausted},
    {"pcall(lt.ones, {1 << 30})", kTensors, kExhausted},
    {"local d <close> = lt.device('/GPU:1') local t = {} for i = 1, 100 do t[i] = lt.ones{1 << 20} end", kTensors,
     kExhausted},
    {"setmetatable({}, {__gc = function() while true do end end}) for i = 1, 1e5 do local t = {} end", NULL, ""},
    {"loop = function() while true do end end", NULL, ""},
};

static void check_usable(lutra_t* lutra, const char* after) {
  /* Work that an ended call has queued on a GPU goes on: on a busy machine it may take the time of some calls. */
  int status = LUTRA_LIMIT, tries;
  for (tries = 0; tries < 20 && status == LUTRA_LIMIT; ++tries)
    status = lutra_run_string(lutra, "assert(lt.ones{3}:sum():item() == 3) for i = 1, 1e4 do end", "usable");
  if (status != LUTRA_OK) fprintf(stderr, "after %s:\n", after);
  check(status == LUTRA_OK, "not usable", lutra_error(lutra));
}

static void check_hostile(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.sandbox = 1;
  options.sim_gpus = 2;
  options.lua_memory_mb = 16;
  options.tensor_memory_mb = 32;
  options.seconds = 0.3;
  lutra_t* lutra = lutra_open(&options);
  check(lutra != NULL, "lutra_open", lutra_error(NULL));
  for (size_t i = 0; lutra != NULL && i < sizeof kHostile / sizeof *kHostile; ++i) {
    const struct Hostile* one = &kHostile[i];
    int status = lutra_run_string(lutra, one->script, "hostile.lua");
    check(status == (one->says != NULL ? LUTRA_LIMIT : LUTRA_OK), one->script, lutra_error(lutra));
    if (one->says != NULL) {
      check(strstr(lutra_error(lutra), one->says) != NULL, one->script, lutra_error(lutra));
      check(strcmp(lutra_error_code(lutra), one->code) == 0, one->script, lutra_error_code(lutra));
    }
    check_usable(lutra, one->script);
  }
  /* Calls too. */
  check(lutra_call(lutra, "loop", NULL, 0, NULL, 0, NULL) == LUTRA_LIMIT, "a call", lutra_error(lutra));
  check_usable(lutra, "a call");
  lutra_close(lutra);
}

static void check_instructions(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.instructions = 1000000; /* without a sandbox, too */
  lutra_t* lutra = lutra_open(&options);
  for (int i = 0; i < 3; ++i) {
    check(lutra_run_string(lutra, "for i = 1, 3e5 do end", NULL) == LUTRA_OK, "few instructions", lutra_error(lutra));
    check(lutra_run_string(lutra, "pcall(function() for i = 1, 3e6 do end end)", NULL) == LUTRA_LIMIT,
          "many instructions", lutra_error(lutra));
    check(strstr(lutra_error(lutra), "the limit of 1000000 instructions was passed") != NULL, "their error",
          lutra_error(lutra));
  }
  check(lutra_run_string(lutra, "assert(debug and io.open and package)", NULL) == LUTRA_OK, "no sandbox",
        lutra_error(lutra));
  lutra_close(lutra);
}

static void check_files(void) {
  char folder[] = "/tmp/lutra-sandbox-XXXXXX", script[500], inside[100], outside[100];
  if (mkdtemp(folder) == NULL) return check(0, "mkdtemp", folder);
  snprintf(inside, sizeof inside, "%s/in", folder);
  mkdir(inside, 0700);
  const char* paths[] = {inside, NULL};
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.sandbox = 1;
  options.allowed_paths = paths;
  lutra_t* lutra = lutra_open(&options);
  check(lutra != NULL, "lutra_open with paths", lutra_error(NULL));
  snprintf(script, sizeof script, "lt.save('%s/x.npy', lt.ones{2}) assert(lt.load('%s/x.npy'):sum():item() == 2)",
           inside, inside);
  check(lutra_run_string(lutra, script, NULL) == LUTRA_OK, "a file inside", lutra_error(lutra));
  snprintf(script, sizeof script, "lt.save('%s/../x.npy', lt.ones{2})", inside);
  check(lutra_run_string(lutra, script, NULL) == LUTRA_ERROR, "a file outside", lutra_error(lutra));
  check(strcmp(lutra_error_code(lutra), "FailedPrecondition") == 0, "its code", lutra_error_code(lutra));
  snprintf(outside, sizeof outside, "%s/x.npy", folder);
  check(access(outside, F_OK) != 0, "a file outside", "it exists");
  lutra_close(lutra);
  options.allowed_paths = NULL;
  lutra = lutra_open(&options);
  snprintf(script, sizeof script, "lt.load('%s/x.npy')", inside);
  check(lutra_run_string(lutra, script, NULL) == LUTRA_ERROR, "a file without allowed paths", lutra_error(lutra));
  check(lutra_run_string(lutra, "\033Lua", NULL) == LUTRA_ERROR, "bytecode", lutra_error(lutra));
  lutra_close(lutra);
  snprintf(script, sizeof script, "rm -r %s", folder);
  check(system(script) == 0, "rm", script);
}

static void check_wrong(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.lua_memory_mb = -1;
  check(lutra_open(&options) == NULL && strstr(lutra_error(NULL), "lua_memory_mb is -1") != NULL, "memory",
        lutra_error(NULL));
  options.lua_memory_mb = 0.001;
  check(lutra_open(&options) == NULL && strstr(lutra_error(NULL), "before the first script") != NULL, "little memory",
        lutra_error(NULL));
  options.lua_memory_mb = 0;
  options.open_files = 3;
  check(lutra_open(&options) == NULL && strstr(lutra_error(NULL), "sandbox") != NULL, "files without a sandbox",
        lutra_error(NULL));
}

int main(void) {
  check_hostile();
  check_instructions();
  check_files();
  check_wrong();
  if (failures == 0) puts("sandbox_host: all well");
  return failures != 0;
}
