#include "eager/exchange.h"

#include <cstring>

#include "eager/constant.h"

namespace lutra {
namespace {

dlpack::DataType type_of(DType dtype) {
  const auto bits = static_cast<uint8_t>(8 * size_of(dtype));
  switch (dtype) {
    case DType::Bool: return {dlpack::kBool, bits, 1};
    case DType::UInt8: return {dlpack::kUInt, bits, 1};
    case DType::BFloat16: return {dlpack::kBfloat, bits, 1};
    case DType::Complex64:
    case DType::Complex128: return {dlpack::kComplex, bits, 1};
    default: return {is_float(dtype) ? dlpack::kFloat : dlpack::kInt, bits, 1};
  }
}

const char* name_of(uint8_t code) {
  constexpr const char* kNames[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  return code < std::size(kNames) ? kNames[code] : "type ";
}

DType dtype_of_array(const char* who, const dlpack::DataType& type) {
  require(type.lanes == 1, who, ": the array's elements are vectors of ", type.lanes, ", expected single numbers");
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const dlpack::DataType own = type_of(dtype);
    if (own.code == type.code && own.bits == type.bits) return dtype;
  }
  fail(ErrorCode::InvalidArgument, who, ": the array is ", name_of(type.code), int{type.bits},
       ", which no dtype of Lutra's is; cast it first");
}

// One block: the managed array, its shape and strides, and who keeps the tensor.
template <class M> struct Exported {
  M managed;
  Keeper keeper;
  int64_t shape[kMaxRank], strides[kMaxRank];
};

template <class M> M* make_export(const char* who, Runtime& runtime, const TensorRep& tensor, Keeper keeper) {
  const LogicalDevice& device = runtime.device(tensor.device);
  require(device.is_host(), who, ": the tensor is on ", device.full_name,
          ", and only tensors on a CPU can be passed; copy it there first: t:to('CPU:0')");
  auto* made = new Exported<M>{};
  made->keeper = keeper;
  int64_t stride = 1;
  for (int axis = tensor.rank - 1; axis >= 0; --axis) {
    made->shape[axis] = tensor.dims[axis];
    made->strides[axis] = stride;
    stride *= tensor.dims[axis];
  }
  void* data = tensor.size > 0 ? const_cast<std::byte*>(tensor.address()) : nullptr;
  made->managed.array = {data, {dlpack::kCpu, 0}, tensor.rank, type_of(tensor.dtype), made->shape, made->strides, 0};
  made->managed.manager = made;
  made->managed.deleter = [](M* self) {
    auto* own = static_cast<Exported<M>*>(self->manager);
    const Keeper kept = own->keeper;
    delete own;
    kept.release(kept.user);
  };
  return &made->managed;
}

struct Layout {
  const std::byte* data;
  DType dtype;
  Shape shape;
  std::size_t bytes;
  bool is_contiguous, is_aligned;
};

Layout layout_of(const char* who, const dlpack::Array& array) {
  require(array.device.type == dlpack::kCpu || array.device.type == dlpack::kCudaHost, who,
          ": the array is on device type ", array.device.type, ", number ", array.device.id,
          ", and only arrays in the CPU's memory can be taken; copy it ", "there first");
  require(array.ndim >= 0 && array.ndim <= kMaxRank, who, ": the array has ", array.ndim, " axes, at most ", kMaxRank,
          " are possible");
  require(array.shape != nullptr || array.ndim == 0, who, ": the array's shape is NULL");
  Layout out{};
  out.dtype = dtype_of_array(who, array.dtype);
  for (int axis = 0; axis < array.ndim; ++axis) {
    require(array.shape[axis] >= 0, who, ": size ", axis, " of the array is ", array.shape[axis]);
  }
  out.shape = Shape({array.shape, static_cast<std::size_t>(array.ndim)});
  const auto width = static_cast<int64_t>(size_of(out.dtype));
  out.bytes = static_cast<std::size_t>(element_count(who, out.shape.dims(), width) * width);
  require(array.data != nullptr || out.bytes == 0, who, ": the array's data is NULL");
  out.data = out.bytes > 0 ? static_cast<const std::byte*>(array.data) + array.byte_offset : nullptr;
  out.is_aligned = reinterpret_cast<uintptr_t>(out.data) % size_of(real_dtype(out.dtype)) == 0;
  out.is_contiguous = true;
  int64_t stride = 1;
  for (int axis = array.ndim - 1; axis >= 0 && array.strides != nullptr && out.bytes > 0; --axis) {
    if (array.shape[axis] != 1 && array.strides[axis] != stride) out.is_contiguous = false;
    stride *= array.shape[axis];
  }
  return out;
}

// Copies an array of any layout, row by row of the last axis.
void copy_elements(const dlpack::Array& array, const Layout& layout, std::byte* to) {
  if (layout.bytes == 0) return;
  if (layout.is_contiguous) {
    std::memcpy(to, layout.data, layout.bytes);
    return;
  }
  const std::size_t width = size_of(layout.dtype);
  const int last = array.ndim - 1;
  int64_t index[kMaxRank] = {};
  for (std::size_t done = 0; done < layout.bytes;) {
    int64_t offset = 0;
    for (int axis = 0; axis < last; ++axis) offset += index[axis] * array.strides[axis];
    for (int64_t i = 0; i < array.shape[last]; ++i, done += width) {
      std::memcpy(to + done, layout.data + (offset + i * array.strides[last]) * static_cast<int64_t>(width), width);
    }
    for (int axis = last - 1; axis >= 0 && ++index[axis] == array.shape[axis]; --axis) index[axis] = 0;
  }
}

template <class M> void take_array(const char* who, Context& context, M* managed, bool copies, TensorRep* out) {
  const Layout layout = layout_of(who, managed->array);
  auto release = [](void* taken) {
    M* array = static_cast<M*>(taken);
    if (array->deleter != nullptr) array->deleter(array);
  };
  if (copies) {
    make_host_tensor(context, layout.dtype, layout.shape, out);
    copy_elements(managed->array, layout, out->storage != nullptr ? out->data : out->bytes);
    release(managed);
    return;
  }
  require(layout.is_contiguous, who, ": the array ", layout.shape,
          " is not row-major and contiguous; make it so (numpy.ascontiguousarray, x.contiguous()), or have it copied");
  require(layout.is_aligned, who, ": the array is not aligned to the ", size_of(real_dtype(layout.dtype)), " bytes of ",
          layout.dtype, "; have it copied");
  context.devices();  // initialises them
  Runtime& runtime = context.runtime();
  const uint16_t cpu = runtime.cpu().id;
  out->clear();
  out->storage = runtime.lent_memory().borrow({layout.data, layout.bytes, release, managed}, cpu);
  out->data = out->storage->data;
  out->dtype = layout.dtype;
  out->set_shape(layout.shape);
  out->size = layout.shape.size();
  out->device = cpu;
}

}  // namespace

dlpack::VersionedManaged* export_array(const char* who, Runtime& runtime, const TensorRep& tensor, Keeper keeper) {
  dlpack::VersionedManaged* managed = make_export<dlpack::VersionedManaged>(who, runtime, tensor, keeper);
  managed->version = {dlpack::kMajor, dlpack::kMinor};
  managed->flags = dlpack::kReadOnly;
  return managed;
}

dlpack::Managed* export_old_array(const char* who, Runtime& runtime, const TensorRep& tensor, Keeper keeper) {
  return make_export<dlpack::Managed>(who, runtime, tensor, keeper);
}

void import_array(const char* who, Context& context, dlpack::VersionedManaged* managed, bool copies, TensorRep* out) {
  require(managed->version.major == dlpack::kMajor, who, ": the array is of DLPack ", managed->version.major, ".",
          managed->version.minor, ", expected version ", dlpack::kMajor);
  take_array(who, context, managed, copies, out);
}

void import_old_array(const char* who, Context& context, dlpack::Managed* managed, bool copies, TensorRep* out) {
  take_array(who, context, managed, copies, out);
}

}  // namespace lutra
