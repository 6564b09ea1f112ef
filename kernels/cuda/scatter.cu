// Adds to positions on cards. Each element of the result gets its additions in the order of the indices.
#include "kernels/cuda/scatter.h"

#include "ops/index.h"

namespace lutra::cuda {
namespace {

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

template <class T> void run_scatter_add(const KernelArgs& args) {
  const CudaLaunch& on = launch_of(args);
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  Extent extent = Extent::around(x.dims, x.rank, 0);
  Places places(args.in[1], args.as<IndexAttrs>().base.value, extent.size);
  // x and out share memory when a variable or a sum of gradients is updated in place.
  if (x.size > 0 && (x.immediate || out.data != x.data)) run_copy(args);
  add_rows(on, places, args.in[1].size, args.in[2], out.as<T>(), 1, extent.size, extent.inner, on.slot);
}

template <class T> void run_gather_grad(const KernelArgs& args) {
  const ScatterAttrs& attrs = args.as<ScatterAttrs>();
  const Array& out = args.out[0];
  if (out.size == 0) return;
  Extent extent = Extent::around(out.dims, out.rank, static_cast<int>(attrs.axis));
  Places places(args.in[1], attrs.base.value, extent.size);
  start_with_zeros<T>(launch_of(args));
  add_rows(launch_of(args), places, args.in[1].size, args.in[0], out.as<T>(), extent.outer, extent.size, extent.inner,
           nullptr);
}

int64_t rows_of(const Array& indices) { return product(indices.dims, 0, indices.rank - 1); }

template <class T> void run_scatter_nd(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size == 0) return;
  NdPlaces places(args.in[1], args.as<ScatterAttrs>().base.value, out.dims);
  start_with_zeros<T>(launch_of(args));
  add_rows(launch_of(args), places, rows_of(args.in[1]), args.in[0], out.as<T>(), 1, places.parts(),
           product(out.dims, places.depth, out.rank), nullptr);
}

// One line along the axis of the result, and the lines of dy that came from it: several if x was repeated. A thread
// takes a line; sums of halves are kept in float.
template <class T> struct AddAlong {
  using C = ComputeType<T>;
  struct Axis {
    int64_t size, in_out, in_dy, in_indices;
  };
  Input<T> dy;
  Places places;
  T* out;
  C* sums;
  Axis along{}, own[kMaxRank], repeated[kMaxRank];
  int n_own = 0, n_repeated = 0;
  int64_t lines = 1, repeats = 1, length = 0;

  AddAlong(const KernelArgs& args, int axis_of_lines, int64_t base)
      : dy(input_of<T>(args.in[0])),
        places(args.in[1], base, args.out[0].dims[axis_of_lines]),
        out(args.out[0].as<T>()),
        sums(nullptr) {
    if constexpr (std::is_same_v<T, C>) sums = out;
    else sums = reinterpret_cast<C*>(args.scratch);
    const Array &to = args.out[0], &from = args.in[0], &indices = args.in[1];
    int64_t out_step = 1, dy_step = 1, index_step = 1;
    for (int axis = to.rank - 1; axis >= 0; --axis) {
      Axis walk{to.dims[axis], out_step, from.dims[axis] == 1 ? 0 : dy_step, indices.dims[axis] == 1 ? 0 : index_step};
      out_step *= to.dims[axis];
      dy_step *= from.dims[axis];
      index_step *= indices.dims[axis];
      if (axis == axis_of_lines) {
        along = walk;
        length = from.dims[axis];
      } else if (to.dims[axis] != 1) {
        own[n_own++] = walk;
        lines *= walk.size;
      } else if (from.dims[axis] != 1) {
        walk.size = from.dims[axis];
        repeated[n_repeated++] = walk;
        repeats *= walk.size;
      }
    }
  }

  static constexpr void move(const Axis* axes, int count, int64_t place, int64_t* to, int64_t* from, int64_t* index) {
    for (int i = 0; i < count; ++i) {
      int64_t at = place % axes[i].size;
      place /= axes[i].size;
      *to += at * axes[i].in_out;
      *from += at * axes[i].in_dy;
      *index += at * axes[i].in_indices;
    }
  }
  LUTRA_DEVICE void add(int64_t line) const {
    int64_t to = 0, from = 0, first = 0;
    move(own, n_own, line, &to, &from, &first);
    for (int64_t i = 0; i < along.size; ++i) sums[to + i * along.in_out] = C(0);
    for (int64_t repeat = 0; repeat < repeats; ++repeat) {
      int64_t same = 0, here = from, index = first;
      move(repeated, n_repeated, repeat, &same, &here, &index);
      for (int64_t i = 0; i < length; ++i) {
        int64_t place = places.at(index + i * along.in_indices);
        if (place < 0) continue;
        int64_t at = here + i * along.in_dy;
        sums[to + place * along.in_out] += computed_in(dy.data != nullptr ? dy.data[at] : dy.number);
      }
    }
    if constexpr (!std::is_same_v<T, C>) {
      for (int64_t i = 0; i < along.size; ++i) out[to + i * along.in_out] = rounded_to<T>(sums[to + i * along.in_out]);
    }
  }
};
template <class T> LUTRA_GLOBAL void add_along(const AddAlong<T> args) {
  for (int64_t line = thread_index(); line < args.lines; line += thread_count()) args.add(line);
}
template <class T> void run_take_along_axis_grad(const KernelArgs& args) {
  const CudaLaunch& on = launch_of(args);
  const ScatterAttrs& attrs = args.as<ScatterAttrs>();
  if (args.out[0].size == 0) return;
  if (args.in[0].size == 0) return start_with_zeros<T>(on);
  AddAlong<T> add(args, static_cast<int>(attrs.axis), attrs.base.value);
  launch(on, grid_for(on, add.lines), add_along<T>, add);
}

std::size_t scratch_of_places(const KernelArgs& args) { return add_rows_bytes(args.in[1].size); }
std::size_t scratch_of_rows(const KernelArgs& args) { return add_rows_bytes(rows_of(args.in[1])); }
template <class T> std::size_t scratch_of_sums(const KernelArgs& args) {
  using C = ComputeType<T>;
  return std::is_same_v<T, C> ? 0 : static_cast<std::size_t>(args.out[0].size) * sizeof(C);
}

}  // namespace

void register_scatter_cuda(CudaKernels& kernels) {
  kernels.add_each("ScatterAdd", AllNumbers{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_scatter_add<T>, .scratch = scratch_of_places};
  });
  kernels.add_each("GatherGrad", AllFloats{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_gather_grad<T>, .scratch = scratch_of_places};
  });
  kernels.add_each("ScatterNd", AllFloats{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_scatter_nd<T>, .scratch = scratch_of_rows};
  });
  kernels.add_each("TakeAlongAxisGrad", AllFloats{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_take_along_axis_grad<T>, .scratch = scratch_of_sums<T>};
  });
}

}  // namespace lutra::cuda
