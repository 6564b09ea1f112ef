// DLPack's binary interface, by which libraries pass arrays to each other without a copy: version 1 and the struct from
// before it. Declared here from its documentation (https://dmlc.github.io/dlpack/latest/c_api.html).
#pragma once

#include <cstdint>

namespace lutra::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3 };
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Array {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major and contiguous
  uint64_t byte_offset;
};

// DLManagedTensor: from before version 1.
struct Managed {
  Array array;
  void* manager;
  void (*deleter)(Managed* self);
};

// DLManagedTensorVersioned.
struct VersionedManaged {
  struct {
    uint32_t major, minor;
  } version;
  void* manager;
  void (*deleter)(VersionedManaged* self);
  uint64_t flags;
  Array array;
};
inline constexpr uint32_t kMajor = 1, kMinor = 0;
inline constexpr uint64_t kReadOnly = 1, kIsCopied = 2;

}  // namespace lutra::dlpack
