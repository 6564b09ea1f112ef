/* Values, calls, functions and tensors both ways, and everything that a host may do wrong with them. */
#include <lutra.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check_at(int line, int ok, const char* got) {
  if (ok) return;
  fprintf(stderr, "values_host.c:%d: got: %s\n", line, got);
  ++failures;
}
#define CHECK(ok) check_at(__LINE__, (ok), lutra_error(NULL))
#define REFUSED(status, text) check_at(__LINE__, (status) != 0 && strstr(lutra_error(NULL), text) != NULL, lutra_error(NULL))

static lutra_t* open_one(int sim_gpus) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  lutra_t* lutra;
  options.sim_gpus = sim_gpus;
  lutra = lutra_open(&options);
  if (lutra == NULL) {
    fprintf(stderr, "lutra_open: %s\n", lutra_error(NULL));
    exit(1);
  }
  return lutra;
}

static void check_globals(lutra_t* lutra) {
  lutra_value value = lutra_integer(7), got = LUTRA_VALUE_INIT, items[2];
  CHECK(lutra_set_global(lutra, "seven", &value) == 0);
  CHECK(lutra_run_string(lutra, "assert(math.type(seven) == 'integer'); half = seven / 2", NULL) == 0);
  CHECK(lutra_get_global(lutra, "half", &got) == 0 && got.type == LUTRA_NUMBER && got.as.number == 3.5);
  value = lutra_string("a\0b", 3);
  CHECK(lutra_set_global(lutra, "game.title", &value) == 0);
  CHECK(lutra_get_global(lutra, "game.title", &got) == 0 && got.type == LUTRA_STRING && got.as.string.length == 3 &&
        memcmp(got.as.string.bytes, "a\0b", 4) == 0);
  lutra_value_clear(&got);
  CHECK(got.type == LUTRA_NIL);
  lutra_value_clear(&got);
  CHECK(lutra_get_global(lutra, "nobody", &got) == 0 && got.type == LUTRA_NIL);
  CHECK(lutra_get_global(lutra, "nobody.at.home", &got) == 0 && got.type == LUTRA_NIL);

  items[0] = lutra_number(1.5);
  items[1] = lutra_boolean(1);
  value = lutra_list(items, 2);
  CHECK(lutra_set_global(lutra, "list", &value) == 0);
  CHECK(lutra_run_string(lutra, "assert(#list == 2 and list[1] == 1.5 and list[2] == true)", NULL) == 0);
  CHECK(lutra_get_global(lutra, "list", &got) == 0 && got.type == LUTRA_LIST && got.as.list.count == 2 &&
        got.as.list.items[1].as.boolean == 1);
  lutra_value_clear(&got);

  REFUSED(lutra_set_global(lutra, "x", NULL), "the value is NULL");
  REFUSED(lutra_set_global(lutra, NULL, &value), "the name is NULL");
  REFUSED(lutra_get_global(lutra, "x", NULL), "the value is NULL");
  REFUSED(lutra_get_global(NULL, "x", &got), "the lutra_t is NULL");
  value.size = 0;
  REFUSED(lutra_set_global(lutra, "x", &value), "a value's size is 0");
  value.size = sizeof value;
  value.type = 99;
  REFUSED(lutra_set_global(lutra, "x", &value), "type is 99");
  value = lutra_tensor_value(NULL);
  REFUSED(lutra_set_global(lutra, "x", &value), "a tensor is NULL");
  REFUSED(lutra_get_global(lutra, "seven.eight", &got), "attempt to index");
}

static void check_calls(lutra_t* lutra) {
  lutra_value in[2], out[3];
  size_t n_out = 9;
  in[0] = lutra_integer(3);
  in[1] = lutra_number(0.5);
  CHECK(lutra_run_string(lutra, "function two(a, b) return a + b, 'x' .. a end agents = {count = function() return 5 end}",
                         NULL) == 0);
  CHECK(lutra_call(lutra, "two", in, 2, out, 3, &n_out) == 0 && n_out == 2 && out[0].as.number == 3.5 &&
        strcmp(out[1].as.string.bytes, "x3") == 0 && out[2].type == LUTRA_NIL);
  lutra_value_clear(&out[1]);
  CHECK(lutra_call(lutra, "two", in, 2, out, 1, &n_out) == 0 && n_out == 1);
  CHECK(lutra_call(lutra, "two", in, 2, NULL, 0, NULL) == 0);
  CHECK(lutra_call(lutra, "agents.count", NULL, 0, out, 1, NULL) == 0 && out[0].as.integer == 5);
  CHECK(lutra_call(lutra, "math.max", in, 2, out, 1, NULL) == 0 && out[0].as.integer == 3);
  /* A module that is no global. */
  CHECK(lutra_run_string(lutra, "package.loaded.quiet = {f = function() return 'here' end}", NULL) == 0);
  CHECK(lutra_call(lutra, "quiet.f", NULL, 0, out, 1, NULL) == 0 && out[0].type == LUTRA_STRING);
  lutra_value_clear(&out[0]);

  REFUSED(lutra_call(lutra, "agents.none", NULL, 0, out, 1, &n_out), "agents.none is nil, expected a function");
  CHECK(strcmp(lutra_error_code(lutra), "NotFound") == 0 && n_out == 0 && out[0].type == LUTRA_NIL);
  REFUSED(lutra_call(lutra, NULL, NULL, 0, out, 1, NULL), "(NULL) is nil");
  REFUSED(lutra_call(lutra, "two", NULL, 2, out, 1, NULL), "the values are NULL");
  REFUSED(lutra_call(lutra, "two", in, 2, NULL, 2, NULL), "out is NULL");
  REFUSED(lutra_call(NULL, "two", in, 2, out, 1, NULL), "the lutra_t is NULL");

  CHECK(lutra_run_string(lutra, "function bad(a) error('no ' .. a) end function worse() lt.ones{2}:matmul(lt.ones{3, 3}) end",
                         "=bad.lua") == 0);
  REFUSED(lutra_call(lutra, "bad", in, 1, NULL, 0, NULL), "bad.lua:1: no 3");
  CHECK(strcmp(lutra_error_message(lutra), "bad.lua:1: no 3") == 0 && strcmp(lutra_error_code(lutra), "") == 0 &&
        strstr(lutra_error_traceback(lutra), "bad.lua:1:") != NULL);
  REFUSED(lutra_call(lutra, "worse", NULL, 0, NULL, 0, NULL), "matmul");
  CHECK(strcmp(lutra_error_code(lutra), "InvalidArgument") == 0);
}

static void check_objects(lutra_t* lutra) {
  lutra_value object = LUTRA_VALUE_INIT, out = LUTRA_VALUE_INIT, step = lutra_integer(4);
  lutra_t* other = open_one(0);
  CHECK(lutra_run_string(lutra, "Counter = {n = 0, add = function(self, by) self.n = self.n + by return self.n end}", NULL) == 0);
  CHECK(lutra_get_global(lutra, "Counter", &object) == 0 && object.type == LUTRA_OBJECT);
  CHECK(lutra_call_method(lutra, &object, "add", &step, 1, &out, 1, NULL) == 0 && out.as.integer == 4);
  CHECK(lutra_call_method(lutra, &object, "add", &step, 1, &out, 1, NULL) == 0 && out.as.integer == 8);
  REFUSED(lutra_call_method(lutra, &object, NULL, NULL, 0, NULL, 0, NULL), "attempt to call a table value");
  REFUSED(lutra_call_method(lutra, NULL, "add", NULL, 0, NULL, 0, NULL), "the value is NULL");
  REFUSED(lutra_set_global(other, "Counter", &object), "an object of one interpreter");
  lutra_value_clear(&object);
  CHECK(lutra_call(lutra, "lt.Variable", &step, 1, &object, 1, NULL) == 0 && object.type == LUTRA_OBJECT);
  CHECK(lutra_call_method(lutra, &object, "assign_add", &step, 1, NULL, 0, NULL) == 0);
  CHECK(lutra_call_method(lutra, &object, "item", NULL, 0, &out, 1, NULL) == 0 && out.as.integer == 8);
  lutra_close(other);
  lutra_value_clear(&object);
}

static int scale(void* user, lutra_t* lutra, const lutra_value* in, size_t n_in, lutra_value* out, size_t max_out,
                 size_t* n_out) {
  float numbers[64];
  int64_t shape[1], i;
  lutra_tensor* made;
  if (n_in != 1 || in[0].type != LUTRA_TENSOR || max_out < 2) return lutra_fail(lutra, "expected one tensor");
  shape[0] = lutra_tensor_shape(in[0].as.tensor)[0];
  if (lutra_tensor_dtype(in[0].as.tensor) != LUTRA_FLOAT32 || shape[0] > 64) return lutra_fail(lutra, "expected floats");
  if (lutra_tensor_read(in[0].as.tensor, numbers, (size_t)shape[0] * sizeof(float)) != 0) return 1;
  for (i = 0; i < shape[0]; ++i) numbers[i] *= *(float*)user;
  if (lutra_tensor_new(lutra, LUTRA_FLOAT32, 1, shape, numbers, (size_t)shape[0] * sizeof(float), &made) != 0) {
    return lutra_fail(lutra, lutra_error(NULL));
  }
  out[0] = lutra_tensor_value(made);
  out[0].owned = 1;
  out[1] = lutra_string("scaled", 6);
  *n_out = 2;
  /* It may use the interpreter that calls it, but not close it. */
  CHECK(lutra_run_string(lutra, "nested = (nested or 0) + 1", NULL) == 0);
  REFUSED(lutra_run_string(lutra, "error 'inside'", "nested.lua"), "nested.lua:1: inside");
  REFUSED(lutra_set_deadline(lutra, 1), "a callback must not use");
  lutra_close(lutra);
  return 0;
}

static int wrong(void* user, lutra_t* lutra, const lutra_value* in, size_t n_in, lutra_value* out, size_t max_out,
                 size_t* n_out) {
  (void)user, (void)lutra, (void)in, (void)n_in, (void)max_out;
  out[0].type = 77;
  *n_out = 1;
  return 0;
}

static int silent(void* user, lutra_t* lutra, const lutra_value* in, size_t n_in, lutra_value* out, size_t max_out,
                  size_t* n_out) {
  (void)user, (void)lutra, (void)in, (void)n_in, (void)out, (void)max_out, (void)n_out;
  return 5;
}

static void check_functions(lutra_t* lutra) {
  float factor = 3;
  CHECK(lutra_register(lutra, "host.scale", scale, &factor) == 0);
  CHECK(lutra_run_string(lutra,
                         "for i = 1, 100 do\n"
                         "  local t, word = host.scale(lt.constant {1.0, 2.0})\n"
                         "  assert(word == 'scaled' and t[2]:item() == 6 and select('#', host.scale(t)) == 2)\n"
                         "end\n"
                         "assert(nested == 200)\n"
                         "coroutine.wrap(function() assert(host.scale(lt.ones {2}):sum():item() == 6) end)()\n"
                         "local ok, err = pcall(host.scale, 1)\n"
                         "assert(not ok and lt.iserror(err, 'FailedPrecondition') and err.message == 'host.scale: expected one "
                         "tensor', tostring(err))\n"
                         "ok, err = pcall(host.scale, table.unpack({}, 1, 100))\n"
                         "assert(not ok and err:find('100 arguments given', 1, true))",
                         NULL) == 0);
  CHECK(lutra_register(lutra, "wrong", wrong, NULL) == 0 && lutra_register(lutra, "silent", silent, NULL) == 0);
  REFUSED(lutra_call(lutra, "wrong", NULL, 0, NULL, 0, NULL), "type is 77");
  REFUSED(lutra_call(lutra, "silent", NULL, 0, NULL, 0, NULL), "silent: the host's function failed");
  CHECK(lutra_register(lutra, "wrong", NULL, NULL) == 0);
  CHECK(lutra_run_string(lutra, "assert(wrong == nil)", NULL) == 0);
}

static void count_release(void* user) { ++*(int*)user; }

static void check_tensors(lutra_t* lutra) {
  static const float numbers[24] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[2] = {4, 6}, none[2] = {0, 3}, negative[1] = {-1};
  float back[24];
  char bytes[33];
  int released = 0;
  lutra_tensor *tensor, *wrapped, *empty, *sum;
  lutra_value in, out;
  CHECK(lutra_tensor_new(lutra, LUTRA_FLOAT32, 2, shape, numbers, sizeof numbers, &tensor) == 0);
  CHECK(lutra_tensor_dtype(tensor) == LUTRA_FLOAT32 && lutra_tensor_rank(tensor) == 2 &&
        lutra_tensor_shape(tensor)[1] == 6 && lutra_tensor_size(tensor) == 24 && lutra_tensor_bytes(tensor) == 96);
  in = lutra_tensor_value(tensor);
  CHECK(lutra_set_global(lutra, "t", &in) == 0);
  CHECK(lutra_run_string(lutra, "assert(t.shape[1] == 4 and t:sum():item() == 21)", NULL) == 0);
  CHECK(lutra_tensor_read(tensor, back, sizeof back) == 0 && memcmp(back, numbers, sizeof back) == 0);
  REFUSED(lutra_tensor_read(tensor, back, 95), "has 96 bytes, and there is room for 95");
  REFUSED(lutra_tensor_read(tensor, NULL, 96), "to is NULL");
  REFUSED(lutra_tensor_read(NULL, back, 96), "the tensor is NULL");
  lutra_tensor_release(tensor);

  /* Wrapped memory is used in place, and never written, also by a variable that begins with it. */
  CHECK(lutra_tensor_wrap(lutra, LUTRA_FLOAT32, 2, shape, numbers, sizeof numbers, count_release, &released, &wrapped) == 0);
  CHECK(lutra_tensor_data(wrapped) == numbers && strstr(lutra_tensor_device(wrapped), "CPU:0") != NULL);
  in = lutra_tensor_value(wrapped);
  CHECK(lutra_op(lutra, "sum", &in, 1, NULL, 0, &out, 1, NULL) == 0 && out.type == LUTRA_TENSOR);
  sum = out.as.tensor;
  CHECK(lutra_tensor_read(sum, back, sizeof(float)) == 0 && back[0] == 21);
  lutra_value_clear(&out);
  CHECK(lutra_set_global(lutra, "w", &in) == 0);
  lutra_tensor_release(wrapped);
  CHECK(lutra_run_string(lutra,
                         "v = lt.device('CPU:0', lt.Variable, w) w = nil collectgarbage() collectgarbage()\n"
                         "v:assign_add(lt.ones {4, 6}) assert(v:sum():item() == 45)\n"
                         "v:assign_add(lt.ones {4, 6}) assert(v:sum():item() == 69) collectgarbage() collectgarbage()",
                         NULL) == 0);
  CHECK(numbers[0] == 1 && released == 1);

  CHECK(lutra_tensor_new(lutra, LUTRA_INT64, 2, none, NULL, 0, &empty) == 0 && lutra_tensor_size(empty) == 0);
  CHECK(lutra_tensor_read(empty, NULL, 0) == 0);
  lutra_tensor_release(empty);

  REFUSED(lutra_tensor_new(lutra, LUTRA_FLOAT32, 2, shape, numbers, 95, &tensor), "takes 96 bytes, got 95");
  CHECK(tensor == NULL);
  REFUSED(lutra_tensor_new(lutra, 12, 2, shape, numbers, 96, &tensor), "dtype is 12");
  REFUSED(lutra_tensor_new(lutra, LUTRA_FLOAT32, 9, shape, numbers, 96, &tensor), "rank is 9");
  REFUSED(lutra_tensor_new(lutra, LUTRA_FLOAT32, 1, NULL, numbers, 96, &tensor), "shape is NULL");
  REFUSED(lutra_tensor_new(lutra, LUTRA_FLOAT32, 1, negative, numbers, 96, &tensor), "size 0 of the shape is -1");
  REFUSED(lutra_tensor_new(lutra, LUTRA_FLOAT32, 2, shape, NULL, 96, &tensor), "elements is NULL");
  REFUSED(lutra_tensor_new(lutra, LUTRA_FLOAT32, 2, shape, numbers, 96, NULL), "out is NULL");
  REFUSED(lutra_tensor_new(NULL, LUTRA_FLOAT32, 2, shape, numbers, 96, &tensor), "the lutra_t is NULL");
  {
    const int64_t eight[1] = {8};
    const char* at = ((size_t)bytes & 3) == 0 ? bytes + 1 : bytes;
    REFUSED(lutra_tensor_wrap(lutra, LUTRA_FLOAT32, 1, eight, at, 32, count_release, &released, &tensor),
            "not aligned to the 4 bytes");
  }
  CHECK(released == 1 && lutra_tensor_rank(NULL) == -1 && lutra_tensor_shape(NULL) == NULL &&
        lutra_tensor_bytes(NULL) == 0 && lutra_tensor_data(NULL) == NULL && lutra_tensor_device(NULL) == NULL);
  lutra_tensor_release(NULL);
  lutra_tensor_retain(NULL);
  lutra_object_release(NULL);
  lutra_value_clear(NULL);
}

/* Tensors on a GPU: read waits for them, data is NULL; memory by device; trim. */
static void check_gpu(void) {
  lutra_t* lutra = open_one(2);
  static float big[5000];
  const int64_t shape[1] = {5000};
  lutra_tensor *tensor, *moved;
  lutra_value in, out, device = lutra_string("GPU:1", 5);
  lutra_memory_info info = LUTRA_MEMORY_INFO_INIT;
  big[7] = 5;
  CHECK(lutra_tensor_new(lutra, LUTRA_FLOAT32, 1, shape, big, sizeof big, &tensor) == 0);
  CHECK(strstr(lutra_tensor_device(tensor), "GPU:0") != NULL && lutra_tensor_data(tensor) == NULL);
  in = lutra_tensor_value(tensor);
  CHECK(lutra_call_method(lutra, &in, "to", &device, 1, &out, 1, NULL) == 0);
  moved = out.as.tensor;
  CHECK(strstr(lutra_tensor_device(moved), "GPU:1") != NULL);
  big[7] = 0;
  CHECK(lutra_tensor_read(moved, big, sizeof big) == 0 && big[7] == 5);
  CHECK(strstr(lutra_device_name(lutra, 0), "GPU:0") != NULL && strstr(lutra_device_name(lutra, 2), "CPU:0") != NULL &&
        lutra_device_name(lutra, 3) == NULL && lutra_device_name(lutra, -1) == NULL);
  CHECK(lutra_memory(lutra, "GPU:1", &info) == 0 && info.bytes_in_use >= 20000 && strstr(info.device, "GPU:1") != NULL &&
        info.limit_bytes > 20000 && info.lua_bytes > 10000);
  REFUSED(lutra_memory(lutra, "GPU:7", &info), "GPU:7");
  REFUSED(lutra_memory(lutra, NULL, NULL), "info is NULL");
  info.size = 3;
  REFUSED(lutra_memory(lutra, NULL, &info), "size is 3");
  info.size = sizeof info;
  lutra_tensor_release(tensor);
  lutra_tensor_release(moved);
  CHECK(lutra_trim(lutra) == 0);
  CHECK(lutra_memory(lutra, "GPU:1", &info) == 0 && info.bytes_in_use == 0 && info.reserved_bytes == 0);
  CHECK(lutra_memory(lutra, NULL, &info) == 0 && strstr(info.device, "CPU:0") != NULL);

  /* Closed while tensors live. */
  CHECK(lutra_tensor_new(lutra, LUTRA_FLOAT32, 1, shape, big, sizeof big, &tensor) == 0);
  lutra_close(lutra);
  CHECK(lutra_tensor_owner(tensor) == NULL && lutra_tensor_size(tensor) == 5000);
  REFUSED(lutra_tensor_read(tensor, big, sizeof big), "was closed");
  lutra_tensor_release(tensor);
}

static void* release_elsewhere(void* tensor) {
  lutra_tensor_release(tensor);
  return NULL;
}

static void* use_elsewhere(void* lutra) {
  REFUSED(lutra_run_string(lutra, "x = 1", NULL), "another thread is using");
  return NULL;
}

static int use_from_thread(void* user, lutra_t* lutra, const lutra_value* in, size_t n_in, lutra_value* out, size_t max_out,
                           size_t* n_out) {
  pthread_t thread;
  (void)user, (void)in, (void)n_in, (void)out, (void)max_out, (void)n_out;
  pthread_create(&thread, NULL, use_elsewhere, lutra);
  pthread_join(thread, NULL);
  return 0;
}

/* Tensors of one interpreter in another, without a copy, and their ends in any order and on any thread. */
static void check_sharing(void) {
  lutra_t *one = open_one(0), *two = open_one(1);
  static float numbers[1000];
  const int64_t shape[1] = {1000};
  int released = 0;
  pthread_t thread;
  lutra_tensor *tensor, *gpu;
  lutra_value in, out;
  numbers[3] = 4;
  CHECK(lutra_tensor_wrap(one, LUTRA_FLOAT32, 1, shape, numbers, sizeof numbers, count_release, &released, &tensor) == 0);
  in = lutra_tensor_value(tensor);
  CHECK(lutra_set_global(two, "theirs", &in) == 0);
  CHECK(lutra_run_string(two, "lt.device('CPU:0', function() assert(theirs:sum():item() == 4) end)", NULL) == 0);
  CHECK(lutra_get_global(two, "theirs", &out) == 0 && lutra_tensor_data(out.as.tensor) == numbers);
  lutra_value_clear(&out);
  lutra_close(one);
  CHECK(lutra_run_string(two, "assert((theirs + 1):sum():item() == 1004)", NULL) == 0);
  pthread_create(&thread, NULL, release_elsewhere, tensor);
  pthread_join(thread, NULL);
  CHECK(released == 0);
  CHECK(lutra_run_string(two, "theirs = nil collectgarbage() collectgarbage()", NULL) == 0 && lutra_trim(two) == 0);
  CHECK(released == 1);
  CHECK(lutra_tensor_new(two, LUTRA_FLOAT32, 1, shape, numbers, sizeof numbers, &gpu) == 0);
  one = open_one(0);
  in = lutra_tensor_value(gpu);
  REFUSED(lutra_set_global(one, "theirs", &in), "only tensors on a CPU");
  lutra_tensor_release(gpu);
  CHECK(lutra_register(one, "use", use_from_thread, NULL) == 0 && lutra_call(one, "use", NULL, 0, NULL, 0, NULL) == 0);
  lutra_close(one);
  lutra_close(two);
}

int main(void) {
  lutra_t* lutra = open_one(0);
  check_globals(lutra);
  check_calls(lutra);
  check_objects(lutra);
  check_functions(lutra);
  check_tensors(lutra);
  lutra_close(lutra);
  check_gpu();
  check_sharing();
  if (failures == 0) puts("values_host: all well");
  return failures != 0;
}
