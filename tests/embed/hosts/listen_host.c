/* The prompt of a running host: `lutra attach` types entries, which run while the host polls. $LUTRA is the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <lutra.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures = 0;

static void check(int ok, const char* what, const char* got) {
  if (ok) return;
  fprintf(stderr, "listen_host: %s; got: %s\n", what, got);
  ++failures;
}

static const char entries[] =
    "frames = frames + 1\\n"
    "print(frames, host_says(7))\\n"
    "error('of an entry')\\n"
    "lt.ones {2, 3}:sum():item()\\n";

/* Types the entries into `lutra attach` and polls until it has ended. Its output goes to `said`; returns the number of
 * entries. */
static int attach(lutra_t* lutra, const char* path, char* said, size_t size) {
  char command[512];
  snprintf(command, sizeof command, "printf \"%s\" | \"$LUTRA\" attach '%s' 2>&1", entries, path);
  FILE* client = popen(command, "r");
  fcntl(fileno(client), F_SETFL, O_NONBLOCK);
  int total = 0;
  size_t used = 0;
  for (;;) {
    int ran = 0;
    if (lutra_poll(lutra, 0.02, &ran) != LUTRA_OK) {
      check(0, "poll fails", lutra_error(lutra));
      break;
    }
    total += ran;
    ssize_t got = read(fileno(client), said + used, size - used - 1);
    if (got > 0) used += (size_t)got;
    if (got == 0 || (got < 0 && errno != EAGAIN)) break;
  }
  said[used] = '\0';
  pclose(client);
  return total;
}

static int host_says(void* user, lutra_t* lutra, const lutra_value* in, size_t n_in, lutra_value* out, size_t max_out,
                     size_t* n_out) {
  (void)user, (void)n_in, (void)max_out;
  check(lutra_poll(lutra, 0, NULL) == LUTRA_ERROR && strstr(lutra_error(lutra), "an entry cannot poll") != NULL,
        "an entry polls", lutra_error(lutra));
  check(lutra_listen(lutra, NULL) == LUTRA_ERROR, "an entry closes its socket", "0");
  out[0] = lutra_integer(in[0].as.integer * 2);
  *n_out = 1;
  return 0;
}

static void* interrupt(void* lutra) {
  usleep(100 * 1000);
  lutra_interrupt(lutra);
  return NULL;
}

int main(void) {
  char folder[] = "/tmp/lutra-listen-XXXXXX", path[64], said[8192];
  if (mkdtemp(folder) == NULL) return 1;
  snprintf(path, sizeof path, "%s/host.sock", folder);
  lutra_t* lutra = lutra_open(NULL);
  lutra_t* other = lutra_open(NULL);
  if (lutra == NULL || other == NULL) return 1;

  check(lutra_listen(NULL, path) == LUTRA_ERROR && lutra_poll(NULL, 0, NULL) == LUTRA_ERROR, "NULL is taken", "0");
  check(lutra_listen(lutra, NULL) == LUTRA_OK, "closing nothing fails", lutra_error(lutra));
  check(lutra_poll(lutra, 0, NULL) == LUTRA_ERROR && strstr(lutra_error(lutra), "call lutra_listen first") != NULL,
        "polling without a socket", lutra_error(lutra));
  check(lutra_listen(lutra, "/nowhere/at/all") == LUTRA_ERROR && strstr(lutra_error(lutra), "/nowhere/at/all") != NULL,
        "a folder that is not there", lutra_error(lutra));
  check(lutra_listen(lutra, path) == LUTRA_OK && access(path, F_OK) == 0, "listening fails", lutra_error(lutra));
  check(lutra_listen(other, path) == LUTRA_ERROR, "a path that is taken", lutra_error(other));
  check(lutra_poll(lutra, -1, NULL) == LUTRA_ERROR, "a negative time", "0");

  lutra_register(lutra, "host_says", host_says, NULL);
  lutra_run_string(lutra, "frames = 41  lutra = nil  lt_of_host = lt", NULL);
  int ran = attach(lutra, path, said, sizeof said);
  check(ran == 4, "four entries", said);
  check(strstr(said, "42\t14") != NULL && strstr(said, "of an entry") != NULL && strstr(said, "6.0") != NULL,
        "what the client sees", said);
  lutra_value frames;
  check(lutra_get_global(lutra, "frames", &frames) == LUTRA_OK && frames.as.integer == 42, "the host's globals",
        lutra_error(lutra));

  pthread_t thread;
  pthread_create(&thread, NULL, interrupt, lutra);
  check(lutra_poll(lutra, 30, &ran) == LUTRA_INTERRUPTED && ran == 0, "an interrupt ends the wait", lutra_error(lutra));
  pthread_join(thread, NULL);
  check(attach(lutra, path, said, sizeof said) == 4, "entries after an interrupt", said);

  check(lutra_listen(lutra, NULL) == LUTRA_OK && access(path, F_OK) != 0, "the socket stays", lutra_error(lutra));
  check(lutra_listen(other, path) == LUTRA_OK && access(path, F_OK) == 0, "a path that is free again",
        lutra_error(other));
  lutra_close(other);
  check(access(path, F_OK) != 0, "the socket of a closed interpreter stays", path);
  lutra_close(lutra);
  rmdir(folder);
  if (failures == 0) puts("listen_host passed");
  return failures != 0;
}
