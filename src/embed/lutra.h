/* Lutra inside another program: opens interpreters, runs scripts in them, calls their functions, and passes values and
 * tensors both ways. C, and callable from C++ (where lutra.hpp is more convenient). docs/embedding.md is the guide.
 *
 * Results: functions that return int give LUTRA_OK (0) or another status; lutra_error() has the message. No function
 * throws, raises or jumps. NULL never crashes.
 * Threads: a lutra_t may be used by one thread at a time; several can run at once on different threads. Functions that
 * say "any thread" are the exceptions.
 * Callbacks must return (no longjmp, no exception). Functions of lutra_register may use the lutra_t that calls them,
 * but not close it; print and log callbacks and functions of ops may not. Versions: every struct begins with its size.
 * A program that was built with an older header runs with a newer library.
 */
#ifndef LUTRA_H
#define LUTRA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LUTRA_API __attribute__((visibility("default")))
#else
#define LUTRA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lutra_t lutra_t;                 /* an interpreter */
typedef struct lutra_tensor lutra_tensor;       /* a tensor, counted; it outlives its interpreter */
typedef struct lutra_runtime_t lutra_runtime_t; /* devices and memory that interpreters share */
typedef struct lutra_object lutra_object;       /* any other value of Lua: a function, a table, a model; counted */
struct lua_State;

enum lutra_status {
  LUTRA_OK = 0,
  LUTRA_ERROR = 1,
  LUTRA_LIMIT = 2,      /* the deadline, or another limit, ended it */
  LUTRA_INTERRUPTED = 3 /* lutra_interrupt ended it */
};

/* ---- interpreters */

/* Settings for a new interpreter. Start from LUTRA_OPTIONS_INIT, so that fields of later versions are 0. */
typedef struct lutra_options {
  size_t size;        /* sizeof(lutra_options) */
  int sim_gpus;       /* simulated GPUs to make, 0 to 64; 0: the machine's own devices */
  double sim_gpu_mb;  /* memory of each, in units of 2^20 bytes; 0: 4096 */
  int log_placement;  /* not 0: a line per operation, on stderr or to lutra_set_log's function */
  int soft_placement; /* not 0: a device that does not exist is replaced by one that does */
  const char* device; /* a scope around everything, as "/GPU:1"; NULL or "": none */
  /* For scripts that are not trusted (docs/sandbox.md). lutra_attach has only the limits. A call that passes a limit
   * ends with LUTRA_LIMIT, whatever the script does, and lutra_error says which one. 0: no limit. */
  int sandbox;             /* not 0: scripts find few of Lua's libraries, and open files in allowed_paths alone */
  double lua_memory_mb;    /* of Lua's tables, strings and functions, in units of 2^20 bytes */
  double tensor_memory_mb; /* of tensors on each device, simulated GPUs too */
  int64_t instructions;    /* of each call; above 5 million, those at the beginning are estimated */
  double seconds;          /* of each call, as lutra_set_deadline sets it */
  const char* const* allowed_paths; /* ends with NULL: folders or files that a sandbox may read and write; "read:DIR"
                                       may only be read. NULL: none */
  int64_t tensors;                  /* tensors at one time that are larger than 64 bytes */
  int open_files;                   /* files at one time; 0: 64 in a sandbox */
  lutra_runtime_t* runtime;         /* shared with other interpreters (lutra_runtime_open); NULL: one of its own */
} lutra_options;

#define LUTRA_OPTIONS_INIT \
  { sizeof(lutra_options), 0, 0.0, 0, 0, NULL, 0, 0.0, 0.0, 0, 0.0, NULL, 0, 0, NULL }

/* Opens an interpreter, with Lua's standard libraries and the globals lutra and lt. options may be NULL. Returns NULL
 * on failure; lutra_error(NULL) says why. */
LUTRA_API lutra_t* lutra_open(const lutra_options* options);

/* Opens Lutra in the host's own lua_State, of Lua 5.4: the globals lutra and lt, and require "lutra". Scripts' errors
 * are Lua errors there. The lutra_t is for the other functions here; lua_close ends it. The same state twice gives the
 * same lutra_t. Call it where no Lua function runs, or from a C function that Lua has called. Returns NULL on failure.
 */
LUTRA_API lutra_t* lutra_attach(struct lua_State* L, const lutra_options* options);

/* Opens a runtime for several interpreters: devices, their memory and limits, and the settings of lutra.config. Tensors
 * on any of its devices pass between its interpreters by handle, without a copy. The interpreters take turns: a call
 * waits while another thread's call runs in one of them (its deadline counts from then). A function of lutra_register
 * may use the others, but must not wait for a thread that uses one. options (or NULL): sim_gpus, sim_gpu_mb,
 * soft_placement and tensor_memory_mb; the interpreters then have none of these. Returns NULL on failure;
 * lutra_error(NULL) says why. */
LUTRA_API lutra_runtime_t* lutra_runtime_open(const lutra_options* options);
/* Gives up the host's hold. The runtime lives until its last interpreter is closed and its last tensor released. */
LUTRA_API void lutra_runtime_close(lutra_runtime_t* runtime);

/* Runs Lua source. Globals stay for the next run. Error messages call the source chunk_name, as in "name:7: ...";
 * NULL: "host". */
LUTRA_API int lutra_run_string(lutra_t* lutra, const char* text, const char* chunk_name);
LUTRA_API int lutra_run_file(lutra_t* lutra, const char* path);

/* Sends the output of print() to `print` instead of stdout: with its newline, and not terminated by a 0. NULL: stdout
 * again. Fails for an attached lutra_t, whose print is the host's. */
LUTRA_API int lutra_set_print(lutra_t* lutra, void (*print)(void* user, const char* text, size_t size), void* user);

/* Sends the placement log and Lutra's warnings to `log` instead of stderr, one line at a time without its newline.
 * NULL: stderr again. Set it before the first run to miss nothing. */
LUTRA_API int lutra_set_log(lutra_t* lutra, void (*log)(void* user, const char* line, size_t size), void* user);

/* The error message of the last call that failed, for Lua errors with the traceback; "" if none has failed. Valid until
 * the next call with this lutra_t. NULL: the last failure of any call on this thread. */
LUTRA_API const char* lutra_error(const lutra_t* lutra);
/* Its parts: the message alone; the code, such as "InvalidArgument", or "" for an error that is not Lutra's own; the
 * traceback, or "". */
LUTRA_API const char* lutra_error_message(const lutra_t* lutra);
LUTRA_API const char* lutra_error_code(const lutra_t* lutra);
LUTRA_API const char* lutra_error_traceback(const lutra_t* lutra);

/* Closes the interpreter. Tensors that the host still holds stay valid. Does nothing when called from a callback, and
 * for an attached lutra_t. */
LUTRA_API void lutra_close(lutra_t* lutra);

/* ---- limits */

/* Any thread: ends what runs in the interpreter within 100 ms, also in loops around pcall, with LUTRA_INTERRUPTED. Does
 * nothing if nothing runs. The interpreter stays usable. Not to be called after lutra_close has begun. */
LUTRA_API int lutra_interrupt(lutra_t* lutra);

/* Ends each later call that runs longer than so many seconds, with LUTRA_LIMIT. 0: no limit. */
LUTRA_API int lutra_set_deadline(lutra_t* lutra, double seconds);

typedef struct lutra_memory_info {
  size_t size;             /* sizeof(lutra_memory_info) */
  const char* device;      /* full name; valid as long as the interpreter */
  uint64_t bytes_in_use;   /* of tensors */
  uint64_t peak_bytes;     /* their highest number so far */
  uint64_t reserved_bytes; /* taken from the device or system: in use, or kept for later tensors */
  uint64_t limit_bytes;
  uint64_t lua_bytes; /* of Lua itself: scripts, tables, strings */
} lutra_memory_info;

#define LUTRA_MEMORY_INFO_INIT \
  { sizeof(lutra_memory_info), NULL, 0, 0, 0, 0, 0 }

/* What the interpreter holds on a device: "CPU:0", "/GPU:1". NULL: the first CPU. */
LUTRA_API int lutra_memory(lutra_t* lutra, const char* device, lutra_memory_info* info);
/* The full name of the i-th device, from 0; NULL past the last. */
LUTRA_API const char* lutra_device_name(lutra_t* lutra, int index);
/* Collects garbage and gives unused memory of all devices back. */
LUTRA_API int lutra_trim(lutra_t* lutra);

/* ---- values */

enum lutra_type {
  LUTRA_NIL = 0,
  LUTRA_BOOLEAN = 1,
  LUTRA_INTEGER = 2,
  LUTRA_NUMBER = 3,
  LUTRA_STRING = 4,
  LUTRA_TENSOR = 5,
  LUTRA_LIST = 6,  /* a table with entries 1 to n and nothing else */
  LUTRA_OBJECT = 7 /* any other value, variables included */
};

/* A value that crosses between the host and Lua. Make one by the functions below. Values that Lutra fills in are the
 * host's: lutra_value_clear frees what they hold. */
typedef struct lutra_value {
  size_t size; /* sizeof(lutra_value), which never changes */
  int type;    /* of lutra_type */
  int owned;   /* not 0: lutra_value_clear frees what it holds */
  union {
    int boolean;
    int64_t integer;
    double number;
    struct {
      const char* bytes; /* followed by a 0 when Lutra has filled it in */
      size_t length;
    } string;
    struct {
      const struct lutra_value* items;
      size_t count;
    } list;
    lutra_tensor* tensor;
    lutra_object* object;
  } as;
} lutra_value;

#define LUTRA_VALUE_INIT                     \
  {                                          \
    sizeof(lutra_value), LUTRA_NIL, 0, { 0 } \
  }

/* Frees what an owned value holds, and makes it nil. */
LUTRA_API void lutra_value_clear(lutra_value* value);

/* These lend what they are given, which must live as long as the value. */
static inline lutra_value lutra_nil(void) {
  lutra_value value = LUTRA_VALUE_INIT;
  return value;
}
static inline lutra_value lutra_boolean(int is_true) {
  lutra_value value = LUTRA_VALUE_INIT;
  value.type = LUTRA_BOOLEAN;
  value.as.boolean = is_true != 0;
  return value;
}
static inline lutra_value lutra_integer(int64_t integer) {
  lutra_value value = LUTRA_VALUE_INIT;
  value.type = LUTRA_INTEGER;
  value.as.integer = integer;
  return value;
}
static inline lutra_value lutra_number(double number) {
  lutra_value value = LUTRA_VALUE_INIT;
  value.type = LUTRA_NUMBER;
  value.as.number = number;
  return value;
}
static inline lutra_value lutra_string(const char* bytes, size_t length) {
  lutra_value value = LUTRA_VALUE_INIT;
  value.type = LUTRA_STRING;
  value.as.string.bytes = bytes;
  value.as.string.length = length;
  return value;
}
static inline lutra_value lutra_list(const lutra_value* items, size_t count) {
  lutra_value value = LUTRA_VALUE_INIT;
  value.type = LUTRA_LIST;
  value.as.list.items = items;
  value.as.list.count = count;
  return value;
}
static inline lutra_value lutra_tensor_value(lutra_tensor* tensor) {
  lutra_value value = LUTRA_VALUE_INIT;
  value.type = LUTRA_TENSOR;
  value.as.tensor = tensor;
  return value;
}
static inline lutra_value lutra_object_value(lutra_object* object) {
  lutra_value value = LUTRA_VALUE_INIT;
  value.type = LUTRA_OBJECT;
  value.as.object = object;
  return value;
}

/* An object belongs to its interpreter. Any thread. */
LUTRA_API lutra_object* lutra_object_retain(lutra_object* object);
LUTRA_API void lutra_object_release(lutra_object* object);

/* ---- calls */

/* Sets and reads a global, or an entry of tables by dots: "agents.count". set makes tables that are missing. */
LUTRA_API int lutra_set_global(lutra_t* lutra, const char* name, const lutra_value* value);
LUTRA_API int lutra_get_global(lutra_t* lutra, const char* name, lutra_value* value);

/* Calls the function `name`: a global, "module.function", or "lutra.matmul". A module that was loaded by require needs
 * no global. Fills out[0..max_out): missing results are nil, further ones are dropped. *n_out (or NULL): how many the
 * function returned of those. On failure all of `out` is nil. */
LUTRA_API int lutra_call(lutra_t* lutra, const char* name, const lutra_value* in, size_t n_in, lutra_value* out,
                         size_t max_out, size_t* n_out);
/* Calls target:method(in...) of a tensor, string or object; method NULL: calls the object itself. */
LUTRA_API int lutra_call_method(lutra_t* lutra, const lutra_value* target, const char* method, const lutra_value* in,
                                size_t n_in, lutra_value* out, size_t max_out, size_t* n_out);

/* A named option of an op. */
typedef struct lutra_option {
  size_t size; /* sizeof(lutra_option) */
  const char* name;
  lutra_value value;
} lutra_option;

/* Calls the op lutra.NAME with options: reductions' axis, matmul's transpose_b. docs/reference/ops.md lists them. */
LUTRA_API int lutra_op(lutra_t* lutra, const char* name, const lutra_value* in, size_t n_in,
                       const lutra_option* options, size_t n_options, lutra_value* out, size_t max_out, size_t* n_out);

/* A host's function. Reads in[0..n_in), which are lent for the call, sets up to max_out entries of out, which Lutra
 * then clears, and *n_out, and returns 0; or returns lutra_fail(lutra, "message"), which Lua gets as an error. */
typedef int (*lutra_function)(void* user, lutra_t* lutra, const lutra_value* in, size_t n_in, lutra_value* out,
                              size_t max_out, size_t* n_out);

/* Makes the function a global of Lua, or an entry of a table: "game.spawn". NULL: removes the global. */
LUTRA_API int lutra_register(lutra_t* lutra, const char* name, lutra_function function, void* user);
/* Sets the message of a host's function that fails. Returns 1. */
LUTRA_API int lutra_fail(lutra_t* lutra, const char* message);

/* ---- operations of the host */

/* A tensor's elements as the functions of an op see them: row-major. */
typedef struct lutra_array {
  size_t size; /* sizeof(lutra_array) */
  int dtype;
  int rank;
  int64_t shape[8];
  size_t count; /* elements */
  void* data;   /* NULL for a shape function; inputs must not be written */
} lutra_array;

/* Each returns 0, or lutra_fail(lutra, "message"), which the call raises. It may not use lutra for anything else. */
typedef int (*lutra_op_function)(void* user, lutra_t* lutra, const lutra_array* in, int n_in, lutra_array* out,
                                 int n_out);

typedef struct lutra_op_def {
  size_t size;          /* sizeof(lutra_op_def) */
  const char* name;     /* in the placement log: "Blur" */
  const char* lua_name; /* lutra.blur; no dots */
  const char* summary;  /* for lutra.help, or NULL */
  int n_inputs;         /* 1 to 8, promoted to one dtype */
  int n_outputs;        /* 1 to 4 */
  unsigned dtypes;      /* what it computes in: bits as 1u << LUTRA_FLOAT32; 0: float32 and float64 */
  lutra_op_function
      shape; /* sets rank and shape of each output, which begins as the first input; NULL: leaves them so */
  lutra_op_function kernel; /* fills the outputs; runs on the CPU, on the calling thread */
  lutra_op_function
      gradient; /* from the inputs, then the outputs, then the outputs' gradients: the gradient of each input,
                   of its shape; NULL: not differentiable. n_inputs + 2 n_outputs is at most 8 then */
  void* user;
} lutra_op_def;

#define LUTRA_OP_DEF_INIT \
  { sizeof(lutra_op_def), NULL, NULL, NULL, 1, 1, 0, NULL, NULL, NULL, NULL }

/* Makes an op of the host's a function of Lua. Like other ops it is placed (on the CPU), logged, and recorded by tapes;
 * its inputs are copied from GPUs. Not during a call. */
LUTRA_API int lutra_register_op(lutra_t* lutra, const lutra_op_def* op);

/* ---- tensors */

/* Elements are row-major. The numbers never change. */
enum lutra_dtype {
  LUTRA_BOOL = 0,
  LUTRA_INT8 = 1,
  LUTRA_UINT8 = 2,
  LUTRA_INT16 = 3,
  LUTRA_INT32 = 4,
  LUTRA_INT64 = 5,
  LUTRA_FLOAT16 = 6,
  LUTRA_BFLOAT16 = 7,
  LUTRA_FLOAT32 = 8,
  LUTRA_FLOAT64 = 9,
  LUTRA_COMPLEX64 = 10, /* pairs of float: real part, imaginary part */
  LUTRA_COMPLEX128 = 11 /* pairs of double */
};

/* A tensor of a copy of the elements, on the device that a constant in Lua would be on. n_bytes must be what shape and
 * dtype take. shape may be NULL for rank 0. */
LUTRA_API int lutra_tensor_new(lutra_t* lutra, int dtype, int rank, const int64_t* shape, const void* elements,
                               size_t n_bytes, lutra_tensor** out);
/* The same without a copy, on the CPU. The elements must be aligned to their size, and neither change nor move until
 * `release` (or NULL) is called, on any thread. Lutra never writes them, so they may be read-only. On failure `release`
 * is not called. */
LUTRA_API int lutra_tensor_wrap(lutra_t* lutra, int dtype, int rank, const int64_t* shape, const void* elements,
                                size_t n_bytes, void (*release)(void* user), void* user, lutra_tensor** out);
/* Copies the elements to the host, after waiting for them. n_bytes must be lutra_tensor_bytes(). */
LUTRA_API int lutra_tensor_read(lutra_tensor* tensor, void* to, size_t n_bytes);

/* Any thread, also after lutra_close. */
LUTRA_API int lutra_tensor_dtype(const lutra_tensor* tensor); /* -1 for NULL, as rank */
LUTRA_API int lutra_tensor_rank(const lutra_tensor* tensor);
LUTRA_API const int64_t* lutra_tensor_shape(const lutra_tensor* tensor); /* rank sizes */
LUTRA_API size_t lutra_tensor_size(const lutra_tensor* tensor);          /* elements */
LUTRA_API size_t lutra_tensor_bytes(const lutra_tensor* tensor);
LUTRA_API const char* lutra_tensor_device(const lutra_tensor* tensor); /* its full name */
/* The elements of a tensor on the CPU, to read only; NULL on other devices. */
LUTRA_API const void* lutra_tensor_data(const lutra_tensor* tensor);
/* Each retain and each tensor that Lutra gave needs one release. */
LUTRA_API lutra_tensor* lutra_tensor_retain(lutra_tensor* tensor);
LUTRA_API void lutra_tensor_release(lutra_tensor* tensor);
/* Its interpreter; NULL after that was closed. */
LUTRA_API lutra_t* lutra_tensor_owner(const lutra_tensor* tensor);

/* ---- DLPack: arrays of NumPy, PyTorch and others, without a copy */

enum lutra_dlpack_flags {
  LUTRA_DLPACK_OLD = 1, /* a DLManagedTensor, of before DLPack 1.0; otherwise a DLManagedTensorVersioned */
  LUTRA_DLPACK_COPY = 2 /* copy the elements; then the array may have any strides and alignment */
};

/* The tensor as a managed array, which must be on a CPU. Who gets it calls its deleter at the end, on any thread, and
 * must not write to it: the versioned form says so by its flag for read-only arrays, the older form cannot. */
LUTRA_API int lutra_tensor_to_dlpack(lutra_tensor* tensor, int flags, void** managed);
/* A managed array as a tensor on the CPU. Takes the array over: its deleter is called when the tensor is no longer
 * used. On failure the array stays the caller's. Without LUTRA_DLPACK_COPY it must be row-major, contiguous, and
 * aligned to its elements; its memory may be read-only, and must not change while the tensor lives. */
LUTRA_API int lutra_tensor_from_dlpack(lutra_t* lutra, void* managed, int flags, lutra_tensor** out);

/* For hosts with a lua_State: the tensor at an index of L's stack (NULL: none is there), and pushing one. */
LUTRA_API lutra_tensor* lutra_tensor_at(lutra_t* lutra, struct lua_State* L, int index);
LUTRA_API int lutra_tensor_push(lutra_t* lutra, struct lua_State* L, lutra_tensor* tensor);

/* ---- the prompt of a running host */

/* Opens the prompt to `lutra attach PATH` in a terminal, by a socket at `path` that only this user can use. Entries run
 * during lutra_poll. Replaces the path of an earlier call; NULL: closes it, as lutra_close does. */
LUTRA_API int lutra_listen(lutra_t* lutra, const char* path);
/* Runs the entries that have arrived; waits up to `seconds` for the first of them, 0 does not wait. *entries (or NULL):
 * how many ran. The errors of entries go to the client; they are no failures of this call. While an entry runs, the
 * process' SIGURG is Lutra's. */
LUTRA_API int lutra_poll(lutra_t* lutra, double seconds, int* entries);

/* ---- versions */

/* Programs that were built with this header run with every library of the same ABI version, which is the number in
 * liblutra.so.N, if the library is not older than the header. */
#define LUTRA_ABI_VERSION 0
/* Those of the library: the ABI's, and the text "0.1.0". Any thread. */
LUTRA_API int lutra_abi_version(void);
LUTRA_API const char* lutra_version(void);

#ifdef __cplusplus
}
#endif

#endif /* LUTRA_H */
