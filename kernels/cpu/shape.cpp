// Rearranging bytes on the CPU. Reshape and similar ops share their input's memory, and run here only to be copied
// whole.

#include "ops/shape.h"

#include <cstring>

#include "kernels/cpu/loops/copy.h"
#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/strided.h"
#include "ops/axes.h"

namespace lutra {
namespace {

void run_transpose(const KernelArgs& args) {
  const Axes& perm = args.as<TransposeAttrs>().perm;
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t strides[kMaxRank];
  int64_t stride = 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= x.dims[axis];
  }
  StridedCopy copy;
  for (int i = x.rank - 1; i >= 0; --i) {
    int64_t axis = perm.given() ? perm.v[i] : x.rank - 1 - i;
    copy.push(out.dims[i], strides[axis < 0 ? axis + x.rank : axis]);
  }
  copy.run(size_of(x.dtype), x.data, out.data);
}

// Repeats elements along axes of size 1.
void run_broadcast_to(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  StridedCopy copy;
  int64_t stride = 1;
  for (int axis = out.rank - 1; axis >= 0; --axis) {
    int own = axis - (out.rank - x.rank);
    int64_t size = own >= 0 ? x.dims[own] : 1;
    copy.push(out.dims[axis], size == 1 ? 0 : stride);
    stride *= size;
  }
  copy.run(size_of(x.dtype), x.data, out.data);
}

// Each row of the result consists of a row of every input in turn; row_bytes(i) is the length of input i's.
template <class RowBytes> void join(const KernelArgs& args, int64_t out_row_bytes, const RowBytes& row_bytes) {
  const Array& out = args.out[0];
  int64_t bytes = out.size * static_cast<int64_t>(size_of(out.dtype));
  parallel_for(bytes, kCopyGrain, [&](int64_t begin, int64_t end) {
    int64_t row = begin / out_row_bytes, at = begin % out_row_bytes;
    int i = 0;
    for (; at >= row_bytes(i); ++i) at -= row_bytes(i);
    while (begin < end) {
      int64_t length = std::min(row_bytes(i) - at, end - begin);
      if (length > 0) copy_bytes(out.data + begin, args.in[i].data + row * row_bytes(i) + at, length);
      begin += length;
      at = 0;
      if (++i == args.n_in) {
        i = 0;
        ++row;
      }
    }
  });
}

// The same for short rows: input by input, for as many rows as stay in the L1 cache.
template <class E, class RowBytes>
void join_short(const KernelArgs& args, int64_t out_row_bytes, const RowBytes& row_bytes) {
  const Array& out = args.out[0];
  int64_t width = out_row_bytes / static_cast<int64_t>(sizeof(E)), rows = out.size / width;
  int64_t block = std::max<int64_t>(1, 16384 / out_row_bytes);
  parallel_for(rows, row_grain(kCheapGrain, width), [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += block) {
      int64_t n = std::min(block, end - begin);
      E* to = out.as<E>() + begin * width;
      for (int i = 0; i < args.n_in; ++i) {
        int64_t length = row_bytes(i) / static_cast<int64_t>(sizeof(E));
        const E* from = args.in[i].as<E>() + begin * length;
        if (length == 1) {
          for (int64_t row = 0; row < n; ++row) to[row * width] = from[row];
        } else {
          for (int64_t row = 0; row < n; ++row) {
            for (int64_t k = 0; k < length; ++k) to[row * width + k] = from[row * length + k];
          }
        }
        to += length;
      }
    }
  });
}

// From this size on, a memcpy per row costs less than a loop.
constexpr int64_t kShortRowBytes = 64;

template <class RowBytes> void join_any(const KernelArgs& args, int64_t out_row_bytes, const RowBytes& row_bytes) {
  if (out_row_bytes > kShortRowBytes * args.n_in) return join(args, out_row_bytes, row_bytes);
  by_size(size_of(args.out[0].dtype), [&]<class E>(TypeTag<E>) { join_short<E>(args, out_row_bytes, row_bytes); });
}

// The axis, and the bytes of one step along it in the result.
int64_t step_bytes(const KernelArgs& args, int* axis) {
  const Axes& axes = args.as<AxisAttrs>().axis;
  const Array& out = args.out[0];
  *axis = axis_of(axes, out.rank, 0);
  return Extent::around(out.dims, out.rank, *axis).inner * static_cast<int64_t>(size_of(out.dtype));
}

void run_concat(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  int axis;
  int64_t bytes = step_bytes(args, &axis);
  join_any(args, bytes * args.out[0].dims[axis], [&](int i) { return bytes * args.in[i].dims[axis]; });
}

void run_stack(const KernelArgs& args) {
  if (args.out[0].size == 0) return;
  int axis;
  int64_t bytes = step_bytes(args, &axis);
  join_any(args, bytes * args.n_in, [&](int) { return bytes; });
}

}  // namespace

void register_shape_cpu(KernelRegistry& kernels) {
  for (const char* name : {"Reshape", "Flatten", "Squeeze", "ExpandDims"}) {
    kernels.add(name, DeviceType::CPU, kEveryDType, {.run = run_copy});
  }
  kernels.add("Transpose", DeviceType::CPU, kEveryDType, {.run = run_transpose});
  kernels.add("BroadcastTo", DeviceType::CPU, kEveryDType, {.run = run_broadcast_to});
  kernels.add("ConcatV2", DeviceType::CPU, kEveryDType, {.run = run_concat});
  kernels.add("Pack", DeviceType::CPU, kEveryDType, {.run = run_stack});
}

}  // namespace lutra
