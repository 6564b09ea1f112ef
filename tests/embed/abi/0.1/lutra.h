/* Lutra inside another program: opens an interpreter, runs strings or files in it, and redirects its output.
 * C, and callable from C++ (where lutra.hpp is more convenient). docs/embedding.md is the guide.
 *
 * A lutra_t may be used by one thread at a time; several can run at once on different threads. No function throws.
 * Functions that can fail return 0 on success; lutra_error() has the error message. NULL never crashes. A lutra_t's
 * callbacks must not use that lutra_t, and must return (no longjmp, no exception). */
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

/* Settings for a new interpreter. Start from LUTRA_OPTIONS_INIT, so that fields of later versions are 0. */
typedef struct lutra_options {
  size_t size;        /* sizeof(lutra_options) */
  int sim_gpus;       /* simulated GPUs to make, 0 to 64; 0: the machine's own devices */
  double sim_gpu_mb;  /* memory of each, in units of 2^20 bytes; 0: 4096 */
  int log_placement;  /* not 0: a line per operation, on stderr or to lutra_set_log's function */
  int soft_placement; /* not 0: a device that does not exist is replaced by one that does */
  const char* device; /* a scope around everything, as "/GPU:1"; NULL or "": none */
} lutra_options;

#define LUTRA_OPTIONS_INIT \
  { sizeof(lutra_options), 0, 0.0, 0, 0, NULL }

/* Opens an interpreter, with Lua's standard libraries and the globals lutra and lt. options may be NULL. Returns NULL
 * on failure; lutra_error(NULL) says why. */
LUTRA_API lutra_t* lutra_open(const lutra_options* options);

/* Runs Lua source. Globals stay for the next run. Error messages call the source chunk_name, as in "name:7: ...";
 * NULL: "host". */
LUTRA_API int lutra_run_string(lutra_t* lutra, const char* text, const char* chunk_name);
LUTRA_API int lutra_run_file(lutra_t* lutra, const char* path);

/* Sends the output of print() to `print` instead of stdout: with its newline, and not terminated by a 0. NULL: stdout
 * again. */
LUTRA_API int lutra_set_print(lutra_t* lutra, void (*print)(void* user, const char* text, size_t size), void* user);

/* Sends the placement log and Lutra's warnings to `log` instead of stderr, one line at a time without its newline.
 * NULL: stderr again. Set it before the first run to miss nothing. */
LUTRA_API int lutra_set_log(lutra_t* lutra, void (*log)(void* user, const char* line, size_t size), void* user);

/* The error message of the last call that failed, for Lua errors with the traceback; "" if none has failed. Valid until
 * the next call with this lutra_t. NULL: the last failure on this thread of a call without a lutra_t, such as
 * lutra_open. */
LUTRA_API const char* lutra_error(const lutra_t* lutra);

/* Closes the interpreter and frees its memory. Does nothing when called from a callback. */
LUTRA_API void lutra_close(lutra_t* lutra);

#ifdef __cplusplus
}
#endif

#endif /* LUTRA_H */
