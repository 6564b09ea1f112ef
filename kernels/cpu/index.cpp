// Picks elements by their position on the CPU. Only bytes move, so there is one version per element size.

#include "ops/index.h"
#include "kernels/cpu/loops/elementwise.h"

#include "kernels/cpu/loops/gather.h"
#include "ops/axes.h"

namespace lutra {
namespace {

void run_gather(const KernelArgs& args) {
  const GatherAttrs& attrs = args.as<GatherAttrs>();
  const Array& x = args.in[0];
  Extent extent = Extent::around(x.dims, x.rank, axis_of(attrs.axis, x.rank, 0));
  Places places{args.in[1], attrs.base.value, extent.size};
  gather_rows(args, places, extent.outer, extent.size, extent.inner);
}

void run_gather_nd(const KernelArgs& args) {
  const Array& x = args.in[0];
  NdPlaces places(args.in[1], args.as<IndexAttrs>().base.value, x.dims);
  gather_rows(args, places, 1, places.parts(), product(x.dims, places.depth, x.rank));
}

// The traversal of the result with x and the indices, innermost axis first; x has step 0 along the axis of the indices.
// Neighbouring axes that both traverse as one are merged.
struct AlongPlan {
  int rank = 0;
  int64_t dims[kMaxRank], x_stride[kMaxRank], index_stride[kMaxRank];
  int64_t step = 1;  // of x along the axis

  AlongPlan(const Array& x, const Array& indices, const Array& out, int along) {
    int64_t x_step = 1, index_step = 1;
    for (int axis = out.rank - 1; axis >= 0; --axis) {
      if (axis == along) step = x_step;
      int64_t in_x = axis == along || x.dims[axis] == 1 ? 0 : x_step;
      int64_t in_indices = indices.dims[axis] == 1 ? 0 : index_step;
      x_step *= x.dims[axis];
      index_step *= indices.dims[axis];
      if (out.dims[axis] == 1) continue;
      if (rank > 0 && in_x == x_stride[rank - 1] * dims[rank - 1] &&
          in_indices == index_stride[rank - 1] * dims[rank - 1]) {
        dims[rank - 1] *= out.dims[axis];
        continue;
      }
      dims[rank] = out.dims[axis];
      x_stride[rank] = in_x;
      index_stride[rank++] = in_indices;
    }
    if (rank > 0) return;
    rank = 1;
    dims[0] = 1;
    x_stride[0] = index_stride[0] = 0;
  }
};

template <class E> bool take_elements(const AlongPlan& plan, const Places& places, const Array& x, const Array& out) {
  std::atomic<bool> all_found = true;
  int64_t length = plan.dims[0], x_stride = plan.x_stride[0], index_stride = plan.index_stride[0], step = plan.step;
  parallel_for(out.size / length, row_grain(kCheapGrain, length), [&](int64_t begin, int64_t end) {
    int64_t at[kPlacesAtOnce];
    bool found = true;
    for (int64_t row = begin; row < end; ++row) {
      const E* from = x.as<E>();
      int64_t rest = row, first = 0;
      for (int axis = 1; axis < plan.rank; ++axis) {
        from += rest % plan.dims[axis] * plan.x_stride[axis];
        first += rest % plan.dims[axis] * plan.index_stride[axis];
        rest /= plan.dims[axis];
      }
      E* to = out.as<E>() + row * length;
      if (step == 1 && x_stride == 0 && index_stride == 1 && places.pick(first, length, from, to)) continue;
      for (int64_t i = 0; i < length; i += kPlacesAtOnce) {
        int64_t n = std::min(kPlacesAtOnce, length - i);
        places.read(first + i * index_stride, n, at, index_stride);
        const E* part = from + i * x_stride;
        bool here = all_are_places(at, n);
        found &= here;
        if (here && step == 1) {
          for (int64_t j = 0; j < n; ++j) to[i + j] = part[j * x_stride + at[j]];
        } else {
          for (int64_t j = 0; j < n; ++j) to[i + j] = at[j] >= 0 ? part[j * x_stride + at[j] * step] : E(0);
        }
      }
    }
    if (!found) all_found = false;
  });
  return all_found;
}

void run_take_along_axis(const KernelArgs& args) {
  const GatherAttrs& attrs = args.as<GatherAttrs>();
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  int axis = axis_of(attrs.axis, x.rank, 0);
  Places places{args.in[1], attrs.base.value, x.dims[axis]};
  if (out.size == 0) return places.report(*args.fault);
  AlongPlan plan(x, args.in[1], out, axis);
  bool all_found = false;
  by_size(size_of(x.dtype), [&]<class E>(TypeTag<E>) { all_found = take_elements<E>(plan, places, x, out); });
  if (!all_found) places.report(*args.fault);
}

}  // namespace

void register_index_cpu(KernelRegistry& kernels) {
  kernels.add("GatherV2", DeviceType::CPU, kEveryDType, {.run = run_gather});
  kernels.add("GatherNd", DeviceType::CPU, kEveryDType, {.run = run_gather_nd});
  kernels.add("TakeAlongAxis", DeviceType::CPU, kEveryDType, {.run = run_take_along_axis});
}

}  // namespace lutra
