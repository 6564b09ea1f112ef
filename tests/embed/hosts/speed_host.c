/* Times of the border, printed beside their limits. Built with the other hosts, run by hand: it tests nothing. */
#include <lutra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long resident_kb(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The least of several rounds, in ns for each call. */
static double time_call(lutra_t* lutra, const char* name, const lutra_value* in, size_t n_in, size_t n_out) {
  enum { CALLS = 200000 };
  double best = 1e9;
  int round, i;
  for (round = 0; round < 7; ++round) {
    double begin = now();
    for (i = 0; i < CALLS; ++i) {
      lutra_value out[1];
      if (lutra_call(lutra, name, in, n_in, out, n_out, NULL) != LUTRA_OK) {
        fprintf(stderr, "%s: %s\n", name, lutra_error(lutra));
        exit(1);
      }
      if (n_out > 0) lutra_value_clear(out);
    }
    if ((now() - begin) / CALLS < best) best = (now() - begin) / CALLS;
  }
  return best * 1e9;
}

static double time_wrap(lutra_t* lutra, const void* memory, int64_t count) {
  enum { CALLS = 100000 };
  double best = 1e9;
  int round, i;
  for (round = 0; round < 5; ++round) {
    double begin = now();
    for (i = 0; i < CALLS; ++i) {
      lutra_tensor* tensor;
      if (lutra_tensor_wrap(lutra, LUTRA_FLOAT32, 1, &count, memory, (size_t)count * 4, NULL, NULL, &tensor) != 0) exit(1);
      lutra_tensor_release(tensor);
    }
    if ((now() - begin) / CALLS < best) best = (now() - begin) / CALLS;
  }
  return best * 1e9;
}

int main(void) {
  enum { OPENED = 64, BIG = 1 << 22 };
  static lutra_t* many[OPENED];
  lutra_t* lutra = lutra_open(NULL);
  lutra_value in = lutra_number(1.5), lua_ns = LUTRA_VALUE_INIT;
  lutra_tensor* tensor;
  float* memory = calloc(BIG, 4);
  const int64_t count = BIG;
  double call, nothing, by_handle, begin, seconds = 1e9;
  long before;
  int i, round;
  if (lutra == NULL || memory == NULL) return 1;
  lutra_run_string(lutra,
                   "function same(x) return x end function take(x) end\n"
                   "local best = 1e9\n"
                   "for round = 1, 7 do\n"
                   "  local begin = lt.time() for i = 1, 1e6 do same(1.5) end best = math.min(best, lt.time() - begin)\n"
                   "end lua_ns = best * 1e3",
                   NULL);
  lutra_get_global(lutra, "lua_ns", &lua_ns);
  call = time_call(lutra, "same", &in, 1, 1);
  printf("lutra_call of a function that returns its number: %.0f ns; Lua's own call %.0f ns (limit: 150 ns more)\n", call,
         lua_ns.as.number);
  lutra_tensor_wrap(lutra, LUTRA_FLOAT32, 1, &count, memory, BIG * 4, NULL, NULL, &tensor);
  nothing = time_call(lutra, "take", &in, 1, 0);
  in = lutra_tensor_value(tensor);
  by_handle = time_call(lutra, "take", &in, 1, 0);
  printf("a tensor of 16 MB by handle: %.0f ns more than a number (limit: 100)\n", by_handle - nothing);
  printf("and back, as a new handle: %.0f ns more than a number\n", time_call(lutra, "same", &in, 1, 1) - call);
  printf("wrap and release: %.0f ns for 4 KB, %.0f ns for 16 MB (nothing is copied)\n", time_wrap(lutra, memory, 1024),
         time_wrap(lutra, memory, BIG));
  lutra_tensor_release(tensor);
  for (round = 0; round < 5; ++round) {
    begin = now();
    for (i = 0; i < 20; ++i) lutra_close(lutra_open(NULL));
    if ((now() - begin) / 20 < seconds) seconds = (now() - begin) / 20;
  }
  before = resident_kb();
  for (i = 0; i < OPENED; ++i) many[i] = lutra_open(NULL);
  printf("open and close: %.2f ms (limit: 1), %ld KB resident for each (limit: 400)\n", seconds * 1e3,
         (resident_kb() - before) / OPENED);
  for (i = 0; i < OPENED; ++i) lutra_close(many[i]);
  lutra_close(lutra);
  free(memory);
  return 0;
}
