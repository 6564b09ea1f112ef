// Strided slices of a tensor on the CPU: read, overwritten, added to.

#include "ops/slice.h"

#include <cstring>

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/strided.h"

namespace lutra {
namespace {

void run_slice(const KernelArgs& args) {
  const SliceAttrs& attrs = args.as<SliceAttrs>();
  const Array& x = args.in[0];
  if (args.out[0].size == 0) return;
  StridedCopy copy;
  int64_t start = 0, stride = 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    Picked picked = *pick(attrs, axis, x.dims[axis]);
    start += picked.first * stride;
    copy.push(picked.count, picked.step * stride);
    stride *= x.dims[axis];
  }
  std::size_t element = size_of(x.dtype);
  copy.run(element, x.data + start * static_cast<int64_t>(element), args.out[0].data);
}

// Writes `value`, repeated along axes of size 1, to a strided slice of the result; or adds it.
template <class E, bool kAdds> void run_slice_write(const KernelArgs& args) {
  const SliceAttrs& attrs = args.as<SliceAttrs>();
  const Array& x = args.in[0];
  const Array& value = args.in[1];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  // x and out share memory when a variable or a sum of gradients is updated in place.
  if (out.data != x.data) copy_bytes(out.data, x.data, out.size * static_cast<int64_t>(sizeof(E)));
  // The slice, innermost axis first: the strides of its elements in the result and in the value.
  int64_t dims[kMaxRank], to_step[kMaxRank], from_step[kMaxRank];
  int rank = 0, value_axis = value.rank - 1;
  int64_t first = 0, to_stride = 1, from_stride = 1, count = 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    Picked picked = *pick(attrs, axis, x.dims[axis]);
    first += picked.first * to_stride;
    bool dropped = axis < attrs.count && attrs.drops[axis];
    if (!dropped) {
      dims[rank] = picked.count;
      to_step[rank] = picked.step * to_stride;
      int64_t size = value_axis >= 0 ? value.dims[value_axis] : 1;
      from_step[rank] = size == 1 ? 0 : from_stride;
      from_stride *= size;
      --value_axis;
      ++rank;
      count *= picked.count;
    }
    to_stride *= x.dims[axis];
  }
  if (count == 0) return;
  if (rank == 0) {
    dims[0] = 1;
    to_step[0] = from_step[0] = 0;
    rank = 1;
  }
  parallel_for(count / dims[0], row_grain(kCheapGrain, dims[0]), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      E* to = out.as<E>() + first;
      const E* from = value.as<E>();
      int64_t rest = row;
      for (int axis = 1; axis < rank; ++axis) {
        to += rest % dims[axis] * to_step[axis];
        from += rest % dims[axis] * from_step[axis];
        rest /= dims[axis];
      }
      if constexpr (kAdds) {
        using C = ComputeType<E>;
        for (int64_t i = 0; i < dims[0]; ++i) {
          E& sum = to[i * to_step[0]];
          sum = static_cast<E>(static_cast<C>(sum) + static_cast<C>(from[i * from_step[0]]));
        }
      } else {
        for (int64_t i = 0; i < dims[0]; ++i) to[i * to_step[0]] = from[i * from_step[0]];
      }
    }
  });
}

void run_slice_assign_any(const KernelArgs& args) {
  by_size(size_of(args.out[0].dtype), [&]<class E>(TypeTag<E>) { run_slice_write<E, false>(args); });
}

}  // namespace

void register_slice_cpu(KernelRegistry& kernels) {
  kernels.add("StridedSlice", DeviceType::CPU, kEveryDType, {.run = run_slice});
  kernels.add("StridedSliceAssign", DeviceType::CPU, kEveryDType, {.run = run_slice_assign_any});
  kernels.add_each("StridedSliceAdd", DeviceType::CPU, InexactTypes{},
                   [](auto tag) { return KernelEntry{.run = run_slice_write<typename decltype(tag)::type, true>}; });
}

}  // namespace lutra
