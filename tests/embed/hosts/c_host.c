/* Runs the logging program on four simulated GPUs, gets its log and its text, and catches its error. */
#include <lutra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] =
    "lt.debugging.set_log_device_placement(true)\n"
    "a = lt.constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})\n"
    "b = lt.constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})\n"
    "print(lt.matmul(a, b))\n";

static const char expected_log[] =
    "Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "Executing op MatMul in device /job:localhost/replica:0/task:0/device:GPU:0\n";

static const char expected_print[] =
    "lutra.Tensor(\n"
    "[[22. 28.]\n"
    " [49. 64.]], shape=(2, 2), dtype=float32)\n";

struct text {
  char bytes[4096];
  size_t size;
};

static void add(struct text* out, const char* bytes, size_t size) {
  if (size >= sizeof out->bytes - out->size) abort();
  memcpy(out->bytes + out->size, bytes, size);
  out->size += size;
  out->bytes[out->size] = '\0';
}

static void add_text(void* user, const char* bytes, size_t size) { add(user, bytes, size); }

static void add_line(void* user, const char* line, size_t size) {
  add(user, line, size);
  add(user, "\n", 1);
}

/* For a callback that uses the lutra_t it is called from. */
struct caller {
  lutra_t* lutra;
  int status;
};

static void call_back(void* user, const char* bytes, size_t size) {
  struct caller* caller = user;
  (void)bytes, (void)size;
  caller->status = lutra_run_string(caller->lutra, "x = 1", NULL);
  lutra_close(caller->lutra);
}

static int failures = 0;

static void check(int ok, const char* what, const char* got) {
  if (ok) return;
  fprintf(stderr, "c_host: %s; got: %s\n", what, got);
  ++failures;
}

static void check_logging_program(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  struct text printed = {{0}, 0}, logged = {{0}, 0};
  lutra_t* lutra;
  options.sim_gpus = 4;
  lutra = lutra_open(&options);
  check(lutra != NULL, "lutra_open fails", lutra_error(NULL));
  check(strcmp(lutra_error(lutra), "") == 0, "a new lutra_t has no error", lutra_error(lutra));
  lutra_set_print(lutra, add_text, &printed);
  lutra_set_log(lutra, add_line, &logged);
  check(lutra_run_string(lutra, program, "logging.lua") == 0, "the program fails", lutra_error(lutra));
  check(strcmp(printed.bytes, expected_print) == 0, "the text differs", printed.bytes);
  check(strcmp(logged.bytes, expected_log) == 0, "the log differs", logged.bytes);

  check(lutra_run_string(lutra, "\n\nlt.matmul(a, a)", "wrong.lua") != 0, "matmul of (2, 3) and (2, 3) passes", "0");
  check(strstr(lutra_error(lutra), "wrong.lua:3: matmul: a (2, 3) and b (2, 3) do not match") == lutra_error(lutra),
        "the error starts otherwise", lutra_error(lutra));
  check(strstr(lutra_error(lutra), "\nstack traceback:\n") != NULL, "no traceback", lutra_error(lutra));

  printed.size = 0;
  check(lutra_run_string(lutra, "print(a.shape, 'goes on')", NULL) == 0, "after an error", lutra_error(lutra));
  check(strcmp(printed.bytes, "(2, 3)\tgoes on\n") == 0, "globals stay", printed.bytes);
  check(lutra_run_string(lutra, "x = = 1", NULL) != 0 && strncmp(lutra_error(lutra), "host:1: ", 8) == 0,
        "a syntax error", lutra_error(lutra));
  check(lutra_run_file(lutra, "no/such/file.lua") != 0 && strstr(lutra_error(lutra), "no/such/file.lua") != NULL,
        "a file that is not there", lutra_error(lutra));
  lutra_close(lutra);
}

static void check_callback_is_refused(void) {
  struct caller caller = {lutra_open(NULL), 0};
  lutra_set_print(caller.lutra, call_back, &caller);
  check(lutra_run_string(caller.lutra, "print(1)", NULL) == 0, "a callback that calls back", lutra_error(caller.lutra));
  check(caller.status != 0, "a callback may run a script", "0");
  lutra_close(caller.lutra);
}

static void check_bad_arguments(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  lutra_t* lutra = lutra_open(NULL);
  check(lutra != NULL, "lutra_open(NULL) fails", lutra_error(NULL));
  check(lutra_run_string(lutra, NULL, NULL) != 0, "a NULL text passes", "0");
  check(lutra_run_file(lutra, NULL) != 0, "a NULL path passes", "0");
  check(lutra_set_print(lutra, NULL, NULL) == 0 && lutra_set_log(lutra, NULL, NULL) == 0, "NULL functions", "fail");
  lutra_close(lutra);

  check(lutra_run_string(NULL, "x = 1", NULL) != 0, "a NULL lutra_t runs a string", "0");
  check(strstr(lutra_error(NULL), "lutra_run_string") != NULL, "a NULL lutra_t's error", lutra_error(NULL));
  check(lutra_run_file(NULL, "x.lua") != 0, "a NULL lutra_t runs a file", "0");
  check(lutra_set_print(NULL, NULL, NULL) != 0 && lutra_set_log(NULL, NULL, NULL) != 0, "a NULL lutra_t", "is set");
  lutra_close(NULL);

  options.size = 0;
  check(lutra_open(&options) == NULL && strstr(lutra_error(NULL), "size") != NULL, "size 0", lutra_error(NULL));
  options.size = sizeof options;
  options.sim_gpus = -1;
  check(lutra_open(&options) == NULL && strstr(lutra_error(NULL), "sim_gpus is -1") != NULL, "-1 GPUs",
        lutra_error(NULL));
  options.sim_gpus = 1;
  options.device = "TPU:0";
  check(lutra_open(&options) == NULL && strstr(lutra_error(NULL), "TPU:0") != NULL, "a malformed device",
        lutra_error(NULL));
  options.device = "/GPU:0";
  lutra = lutra_open(&options);
  check(lutra_run_string(lutra, "assert(lt.zeros({2}).device:find('GPU:0', 1, true))", NULL) == 0, "inside a scope",
        lutra_error(lutra));
  lutra_close(lutra);
}

int main(void) {
  check_logging_program();
  check_callback_is_refused();
  check_bad_arguments();
  if (failures == 0) puts("c_host: all well");
  return failures != 0;
}
