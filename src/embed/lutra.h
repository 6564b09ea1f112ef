/* Lutra inside another program: an interpreter of its own, a string or a file to run in it, and where its output goes.
 * C, and callable from C++ (lutra.hpp is more comfortable there). docs/embedding.md is the guide.
 *
 * A lutra_t is used by one thread at a time; different ones run at once on different threads. No function throws or
 * lets an error out: what can fail returns 0 when all went well, and lutra_error() says what went wrong. NULL is no
 * crash anywhere. A lutra_t's callbacks must not use that lutra_t; they must return (no longjmp, no exception). */
#ifndef LUTRA_H
#define LUTRA_H

#include <stddef.h>

#if defined(__GNUC__)
#define LUTRA_API __attribute__((visibility("default")))
#else
#define LUTRA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lutra_t lutra_t;

/* What is said before the first script runs. Start from LUTRA_OPTIONS_INIT, so that fields of later versions are 0. */
typedef struct lutra_options {
  size_t size;        /* sizeof(lutra_options) */
  int sim_gpus;       /* simulated GPUs to make, 0 to 64; 0: the machine's own devices */
  double sim_gpu_mb;  /* memory of each, in units of 2^20 bytes; 0: 4096 */
  int log_placement;  /* not 0: a line per operation, on stderr or to lutra_set_log's function */
  int soft_placement; /* not 0: where a device does not exist, one that does is chosen */
  const char* device; /* a scope around everything, as "/GPU:1"; NULL or "": none */
} lutra_options;

#define LUTRA_OPTIONS_INIT \
  { sizeof(lutra_options), 0, 0.0, 0, 0, NULL }

/* A new interpreter, with Lua's standard libraries and the globals lutra and lt; options may be NULL. NULL when that
 * failed: lutra_error(NULL) says why. */
LUTRA_API lutra_t* lutra_open(const lutra_options* options);

/* Runs Lua source. Globals stay for the next run. chunk_name stands for the source in error messages, as in
 * "name:7: ..."; NULL: "host". */
LUTRA_API int lutra_run_string(lutra_t* lutra, const char* text, const char* chunk_name);
LUTRA_API int lutra_run_file(lutra_t* lutra, const char* path);

/* print() hands its text, newline included and not terminated by a 0, to `print` instead of stdout; NULL: stdout again.
 */
LUTRA_API int lutra_set_print(lutra_t* lutra, void (*print)(void* user, const char* text, size_t size), void* user);

/* The placement log and Lutra's warnings, a line at a time without its newline, instead of on stderr; NULL: stderr
 * again. Set it before the first run to miss nothing. */
LUTRA_API int lutra_set_log(lutra_t* lutra, void (*log)(void* user, const char* line, size_t size), void* user);

/* The text of the last call that failed, an error of Lua with its traceback; "" when none has. It is the lutra_t's, and
 * valid until its next call. NULL: the last failure on this thread of a call that had no lutra_t, such as lutra_open.
 */
LUTRA_API const char* lutra_error(const lutra_t* lutra);

/* Ends the interpreter and frees all it has. Not from a callback: then nothing happens. */
LUTRA_API void lutra_close(lutra_t* lutra);

#ifdef __cplusplus
}
#endif

#endif /* LUTRA_H */
