/* Arrays by DLPack in C, both forms: no copies, and every array that must be refused. The structs are declared as
 * DLPack's documentation gives them. */
#include <lutra.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int32_t device_type, device_id;
} DLDevice;
typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;
typedef struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

static int failures = 0;
static void check_at(int line, int ok, const char* got) {
  if (ok) return;
  fprintf(stderr, "dlpack_host.c:%d: got: %s\n", line, got);
  ++failures;
}
#define CHECK(ok) check_at(__LINE__, (ok), lutra_error(NULL))
#define REFUSED(status, text) check_at(__LINE__, (status) != 0 && strstr(lutra_error(NULL), text) != NULL, lutra_error(NULL))

static int deleted = 0;
static void delete_versioned(DLManagedTensorVersioned* self) {
  (void)self;
  ++deleted;
}
static void delete_old(DLManagedTensor* self) {
  (void)self;
  ++deleted;
}

static double numbers[24];
static int64_t shape[2] = {4, 6}, row_major[2] = {6, 1}, column_major[2] = {1, 4};

static DLManagedTensorVersioned array_of(void* data, int ndim, int64_t* sizes, int64_t* strides) {
  DLManagedTensorVersioned managed;
  memset(&managed, 0, sizeof managed);
  managed.version.major = 1;
  managed.deleter = delete_versioned;
  managed.dl_tensor.data = data;
  managed.dl_tensor.device.device_type = 1;
  managed.dl_tensor.ndim = ndim;
  managed.dl_tensor.dtype.code = 2;
  managed.dl_tensor.dtype.bits = 64;
  managed.dl_tensor.dtype.lanes = 1;
  managed.dl_tensor.shape = sizes;
  managed.dl_tensor.strides = strides;
  return managed;
}

static void collect(lutra_t* lutra) { CHECK(lutra_trim(lutra) == 0); }

static void check_imports(lutra_t* lutra) {
  DLManagedTensorVersioned managed = array_of(numbers, 2, shape, row_major);
  DLManagedTensor old;
  lutra_tensor* tensor;
  lutra_value value;
  double copy[24];
  int64_t one[1] = {1}, odd[1] = {7}, none[2] = {3, 0}, back[1] = {24}, reversed[1] = {-1}, rows[2] = {4, 1};
  int i;
  for (i = 0; i < 24; ++i) numbers[i] = i;
  deleted = 0;
  CHECK(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor) == 0 && lutra_tensor_data(tensor) == numbers &&
        lutra_tensor_shape(tensor)[1] == 6 && lutra_tensor_dtype(tensor) == LUTRA_FLOAT64);
  value = lutra_tensor_value(tensor);
  CHECK(lutra_set_global(lutra, "x", &value) == 0);
  lutra_tensor_release(tensor);
  CHECK(lutra_run_string(lutra, "assert(x[2][1]:item() == 6 and x:sum():item() == 276)", NULL) == 0);
  CHECK(deleted == 0);
  CHECK(lutra_run_string(lutra, "x = nil", NULL) == 0);
  collect(lutra);
  CHECK(deleted == 1);

  memset(&old, 0, sizeof old);
  old.dl_tensor = managed.dl_tensor;
  old.dl_tensor.strides = NULL;
  old.dl_tensor.byte_offset = 12 * sizeof(double);
  old.dl_tensor.shape = rows;
  old.deleter = delete_old;
  CHECK(lutra_tensor_from_dlpack(lutra, &old, LUTRA_DLPACK_OLD, &tensor) == 0 && lutra_tensor_data(tensor) == numbers + 12);
  lutra_tensor_release(tensor);
  CHECK(deleted == 2);
  old.deleter = NULL; /* the giver keeps it */
  CHECK(lutra_tensor_from_dlpack(lutra, &old, LUTRA_DLPACK_OLD, &tensor) == 0);
  lutra_tensor_release(tensor);

  /* Axes of one element may have any stride; no elements need no data. */
  rows[0] = 1, rows[1] = 6, column_major[0] = 77, column_major[1] = 1;
  managed = array_of(numbers, 2, rows, column_major);
  CHECK(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor) == 0);
  lutra_tensor_release(tensor);
  managed = array_of(NULL, 2, none, NULL);
  CHECK(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor) == 0 && lutra_tensor_size(tensor) == 0);
  lutra_tensor_release(tensor);
  managed = array_of(numbers, 0, NULL, NULL);
  CHECK(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor) == 0 && lutra_tensor_rank(tensor) == 0);
  lutra_tensor_release(tensor);

  /* Refused; the array stays the giver's. */
  deleted = 0;
  column_major[0] = 1, column_major[1] = 4;
  managed = array_of(numbers, 2, shape, column_major);
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "(4, 6) is not row-major and contiguous");
  CHECK(lutra_tensor_from_dlpack(lutra, &managed, LUTRA_DLPACK_COPY, &tensor) == 0 && deleted == 1);
  CHECK(lutra_tensor_read(tensor, copy, sizeof copy) == 0 && copy[0] == 0 && copy[1] == 4 && copy[6] == 1 && copy[23] == 23);
  lutra_tensor_release(tensor);
  managed = array_of(numbers + 23, 1, back, reversed);
  CHECK(lutra_tensor_from_dlpack(lutra, &managed, LUTRA_DLPACK_COPY, &tensor) == 0);
  CHECK(lutra_tensor_read(tensor, copy, sizeof copy) == 0 && copy[0] == 23 && copy[23] == 0);
  lutra_tensor_release(tensor);
  deleted = 0;
  managed = array_of((char*)numbers + 4, 1, odd, one);
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "not aligned to the 8 bytes of float64");
  CHECK(lutra_tensor_from_dlpack(lutra, &managed, LUTRA_DLPACK_COPY, &tensor) == 0);
  lutra_tensor_release(tensor);
  deleted = 0;
  managed = array_of(numbers, 1, odd, one);
  managed.dl_tensor.device.device_type = 2;
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "device type 2, number 0");
  managed = array_of(numbers, 1, odd, one);
  managed.version.major = 2;
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "DLPack 2.0");
  managed = array_of(numbers, 1, odd, one);
  managed.dl_tensor.dtype.code = 5;
  managed.dl_tensor.dtype.bits = 32;
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "complex32");
  managed.dl_tensor.dtype.code = 200;
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "no dtype of Lutra's");
  managed = array_of(numbers, 1, odd, one);
  managed.dl_tensor.dtype.lanes = 4;
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "vectors of 4");
  managed = array_of(numbers, 9, odd, NULL);
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "9 axes");
  managed = array_of(numbers, 1, NULL, NULL);
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "shape is NULL");
  managed = array_of(NULL, 1, odd, NULL);
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "data is NULL");
  managed = array_of(numbers, 1, reversed, NULL);
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, &tensor), "size 0 of the array is -1");
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 8, &tensor), "flags is 8");
  REFUSED(lutra_tensor_from_dlpack(lutra, NULL, 0, &tensor), "the array is NULL");
  REFUSED(lutra_tensor_from_dlpack(lutra, &managed, 0, NULL), "out is NULL");
  REFUSED(lutra_tensor_from_dlpack(NULL, &managed, 0, &tensor), "the lutra_t is NULL");
  CHECK(deleted == 0 && tensor == NULL);
}

static void* delete_elsewhere(void* given) {
  DLManagedTensorVersioned* managed = given;
  managed->deleter(managed);
  return NULL;
}

static void check_exports(lutra_t* lutra) {
  void* given;
  DLManagedTensorVersioned* managed;
  DLManagedTensor* old;
  lutra_value out;
  lutra_tensor* tensor;
  pthread_t thread;
  int i;
  for (i = 0; i < 2; ++i) { /* a small one too, whose elements are in its handle */
    CHECK(lutra_run_string(lutra, i == 0 ? "y = lt.range(2000):reshape {40, 50}" : "y = lt.range(6):reshape {2, 3}", NULL) == 0);
    CHECK(lutra_get_global(lutra, "y", &out) == 0);
    tensor = out.as.tensor;
    CHECK(lutra_tensor_to_dlpack(tensor, 0, &given) == 0);
    managed = given;
    CHECK(managed->version.major == 1 && managed->flags == 1 && managed->dl_tensor.data == lutra_tensor_data(tensor) &&
          managed->dl_tensor.ndim == 2 && managed->dl_tensor.strides[0] == managed->dl_tensor.shape[1] &&
          managed->dl_tensor.strides[1] == 1 && managed->dl_tensor.dtype.code == 0 && managed->dl_tensor.dtype.bits == 32 &&
          managed->dl_tensor.device.device_type == 1);
    CHECK(lutra_tensor_to_dlpack(tensor, LUTRA_DLPACK_OLD, &given) == 0);
    old = given;
    lutra_tensor_release(tensor);
    CHECK(lutra_run_string(lutra, "y = nil", NULL) == 0);
    collect(lutra);
    CHECK(((int32_t*)old->dl_tensor.data)[5] == 5 && ((int32_t*)managed->dl_tensor.data)[5] == 5);
    old->deleter(old);
    pthread_create(&thread, NULL, delete_elsewhere, managed);
    pthread_join(thread, NULL);
  }
  REFUSED(lutra_tensor_to_dlpack(NULL, 0, &given), "the tensor is NULL");
  CHECK(given == NULL);
}

static void check_gpu(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  lutra_t* lutra;
  lutra_value out;
  void* given;
  options.sim_gpus = 1;
  lutra = lutra_open(&options);
  CHECK(lutra_run_string(lutra, "y = lt.ones {100}", NULL) == 0 && lutra_get_global(lutra, "y", &out) == 0);
  REFUSED(lutra_tensor_to_dlpack(out.as.tensor, 0, &given), "GPU:0, and only tensors on a CPU");
  REFUSED(lutra_tensor_to_dlpack(out.as.tensor, 7, &given), "flags is 7");
  REFUSED(lutra_tensor_to_dlpack(out.as.tensor, 0, NULL), "managed is NULL");
  lutra_value_clear(&out);
  /* What scripts give each other; what is left when the interpreter closes. */
  CHECK(lutra_run_string(lutra,
                         "local t = lt.device('CPU:0', lt.ones, {100})\n"
                         "local c = lt.to_dlpack(t) local u = lt.from_dlpack(c) t = nil collectgarbage()\n"
                         "assert(u:sum():item() == 100 and not pcall(lt.from_dlpack, c) and not pcall(lt.to_dlpack, y))\n"
                         "assert(not pcall(lt.from_dlpack, 7) and not pcall(lt.from_dlpack, io.stdout) and not pcall(lt.from_dlpack))\n"
                         "kept = lt.to_dlpack(u) taken = lt.from_dlpack(lt.to_dlpack(u)) small = lt.to_dlpack(lt.device('CPU:0', lt.ones, {2}))",
                         NULL) == 0);
  lutra_close(lutra);
}

int main(void) {
  lutra_t* lutra = lutra_open(NULL);
  void* given = NULL;
  lutra_value out;
  DLManagedTensorVersioned* managed;
  check_imports(lutra);
  check_exports(lutra);
  CHECK(lutra_run_string(lutra, "y = lt.ones {100}", NULL) == 0 && lutra_get_global(lutra, "y", &out) == 0);
  CHECK(lutra_tensor_to_dlpack(out.as.tensor, 0, &given) == 0);
  lutra_value_clear(&out);
  lutra_close(lutra);
  managed = given; /* an array outlives the interpreter */
  CHECK(((float*)managed->dl_tensor.data)[99] == 1);
  managed->deleter(managed);
  check_gpu();
  if (failures == 0) puts("dlpack_host: all well");
  return failures != 0;
}
