// Repeating, moving and padding on cards. Only bytes move, so there is one version per element size.
#include "kernels/element/element.h"
#include "ops/arrange.h"

#include <bit>

#include "core/conversion.h"
#include "kernels/cuda/indexed.h"
#include "kernels/cuda/strided.h"
#include "kernels/element/reducers.h"
#include "kernels/element/sort_keys.h"
#include "ops/axes.h"
#include "ops/shape.h"

namespace lutra::cuda {
namespace {

const CudaLaunch& launch_of(const KernelArgs& args) { return static_cast<const CudaLaunch&>(args); }

// The element of x for a position of the result. Each index is moved on by `offset` and wraps around; or, if `round` is
// false, there is no element for an index outside x.
struct Source {
  int rank = 0;
  int64_t out_dims[kMaxRank], dims[kMaxRank], offset[kMaxRank];
  bool round = true;
  // Axes are pushed from the innermost to the outermost.
  void push(int64_t out_dim, int64_t dim, int64_t further) {
    out_dims[rank] = out_dim;
    dims[rank] = dim;
    offset[rank++] = further;
  }
  constexpr int64_t of(int64_t place) const {
    int64_t at = 0, stride = 1;
    for (int i = 0; i < rank; ++i) {
      int64_t index = place % out_dims[i] + offset[i];
      place /= out_dims[i];
      if (!round && (index < 0 || index >= dims[i])) return -1;
      at += index % dims[i] * stride;
      stride *= dims[i];
    }
    return at;
  }
};

template <class E> struct Moved {
  Source source;
  Input<E> x;
  E otherwise;
  LUTRA_DEVICE E at(int64_t place) const {
    int64_t from = source.of(place);
    return from < 0 ? otherwise : x.data != nullptr ? x.data[from] : x.number;
  }
};
template <class E> void move(const KernelArgs& args, const Source& source, E otherwise) {
  run_indexed<E>(launch_of(args), Moved<E>{source, input_of<E>(args.in[0]), otherwise});
}
void move_any(const KernelArgs& args, const Source& source) {
  by_size(size_of(args.out[0].dtype), [&]<class E>(TypeTag<E>) { move<E>(args, source, E(0)); });
}

void run_tile(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  Source source;
  for (int axis = out.rank - 1; axis >= 0; --axis) {
    int own = axis - (out.rank - x.rank);
    source.push(out.dims[axis], own >= 0 ? x.dims[own] : 1, 0);
  }
  move_any(args, source);
}

void run_roll(const KernelArgs& args) {
  const RollAttrs& attrs = args.as<RollAttrs>();
  const Array& x = args.in[0];
  if (x.size == 0) return;
  // The offset in x of an element of the result.
  auto back = [](int64_t shift, int64_t size) { return (size - shift % size) % size; };
  Source source;
  if (!attrs.axis.given()) {
    source.push(x.size, x.size, back(attrs.shift.v[0], x.size));
    return move_any(args, source);
  }
  int64_t offset[kMaxRank] = {};
  for (int i = 0; i < attrs.axis.count; ++i) {
    int64_t axis = attrs.axis.v[i] < 0 ? attrs.axis.v[i] + x.rank : attrs.axis.v[i];
    offset[axis] = back(attrs.shift.v[attrs.shift.count == 1 ? 0 : i], x.dims[axis]);
  }
  for (int axis = x.rank - 1; axis >= 0; --axis) source.push(x.dims[axis], x.dims[axis], offset[axis]);
  move_any(args, source);
}

void run_pad(const KernelArgs& args) {
  const PadAttrs& attrs = args.as<PadAttrs>();
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  Source source;
  source.round = false;
  for (int axis = out.rank - 1; axis >= 0; --axis) {
    source.push(out.dims[axis], x.dims[axis], -attrs.paddings.v[axis][0]);
  }
  visit_dtype(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Scalar& number = attrs.value;
    Stored<T> value =
        number.kind == Scalar::Kind::Float ? converted<T, double>(number.d) : converted<T, int64_t>(number.i);
    using E = UnsignedOf<sizeof value>;
    move<E>(args, source, std::bit_cast<E>(value));
  });
}

void run_flip(const KernelArgs& args) {
  const Axes& axes = args.as<AxisAttrs>().axis;
  const Array& x = args.in[0];
  if (x.size == 0) return;
  uint32_t turned = axes.given() ? 0 : ~0u;
  for (int i = 0; i < axes.count; ++i) turned |= 1u << (axes.v[i] < 0 ? axes.v[i] + x.rank : axes.v[i]);
  Steps steps;
  int64_t start = 0, stride = 1;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    bool turns = (turned >> axis & 1u) != 0;
    if (turns) start += (x.dims[axis] - 1) * stride;
    steps.push(x.dims[axis], turns ? -stride : stride, stride);
    stride *= x.dims[axis];
  }
  by_size(size_of(x.dtype), [&]<class E>(TypeTag<E>) {
    Input<E> from = input_of<E>(x);
    if (from.data != nullptr) from.data += start;
    run_strided<E, false>(launch_of(args), steps, from, args.out[0].as<E>());
  });
}

// The elements of an axis, and how often each is repeated. The counts are in the host's memory, so they are passed with
// the launch, as many at a time as it has room for.
struct Copies {
  static constexpr int kMost = 256;
  int64_t outer, size, inner, length;  // of the axis in x, and in the result
  int64_t first, count;                // these elements
  int64_t start;                       // where the first one's copies start
  int64_t each;                        // copies of each element, or -1: they end at ends[i]
  int64_t ends[kMost];

  constexpr int64_t begin_of(int64_t i) const { return each >= 0 ? i * each : i == 0 ? start : ends[i - 1]; }
  constexpr int64_t end_of(int64_t i) const { return each >= 0 ? (i + 1) * each : ends[i]; }
  // The element that has a copy at `place`.
  constexpr int64_t holder(int64_t place) const {
    if (each >= 0) return place / each;
    int64_t low = 0, left = count;
    while (left > 0) {
      int64_t half = left / 2;
      if (ends[low + half] <= place) {
        low += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    return low;
  }
};

// Calls run(copies) for all elements of an axis of `whole`, which has `size` of them in x.
template <class Run> void for_copies(const KernelArgs& args, const Array& whole, int64_t size, const Run& run) {
  const RepeatAttrs& attrs = args.as<RepeatAttrs>();
  Extent extent = Extent::around(whole.dims, whole.rank, axis_of(attrs.axis, whole.rank, 0));
  Copies copies{extent.outer, size, extent.inner, 0, 0, size, 0, -1, {}};
  if (attrs.is_uniform()) {
    copies.each = attrs.at(0);
    copies.length = size * copies.each;
    return run(copies);
  }
  for (int64_t i = 0; i < size; ++i) copies.length += attrs.at(i);
  for (; copies.first < size && launch_of(args).error == 0; copies.first += copies.count) {
    copies.count = std::min<int64_t>(Copies::kMost, size - copies.first);
    int64_t end = copies.start;
    for (int64_t i = 0; i < copies.count; ++i) copies.ends[i] = end += attrs.at(copies.first + i);
    run(copies);
    copies.start = end;
  }
}

template <class E> LUTRA_GLOBAL void repeat_kernel(const Copies copies, const Input<E> x, E* out) {
  const int64_t length = copies.end_of(copies.count - 1) - copies.start, inner = copies.inner;
  for (int64_t at = thread_index(); at < copies.outer * length * inner; at += thread_count()) {
    int64_t k = at % inner, place = at / inner % length + copies.start, o = at / inner / length;
    int64_t from = (o * copies.size + copies.first + copies.holder(place)) * inner + k;
    out[(o * copies.length + place) * inner + k] = x.data != nullptr ? x.data[from] : x.number;
  }
}
void run_repeat(const KernelArgs& args) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  int64_t size = x.dims[axis_of(args.as<RepeatAttrs>().axis, x.rank, 0)];
  by_size(size_of(out.dtype), [&]<class E>(TypeTag<E>) {
    for_copies(args, x, size, [&](const Copies& copies) {
      int64_t work = copies.outer * (copies.end_of(copies.count - 1) - copies.start) * copies.inner;
      if (work > 0)
        launch(launch_of(args), grid_for(launch_of(args), work), repeat_kernel<E>, copies, input_of<E>(x), out.as<E>());
    });
  });
}

// Adds up copies in their order.
template <class T> LUTRA_GLOBAL void repeat_grad_kernel(const Copies copies, const Input<T> dy, T* out) {
  const int64_t inner = copies.inner;
  for (int64_t at = thread_index(); at < copies.outer * copies.count * inner; at += thread_count()) {
    int64_t k = at % inner, i = at / inner % copies.count, o = at / inner / copies.count;
    ComputeType<T> sum = 0;
    for (int64_t j = copies.begin_of(i); j < copies.end_of(i); ++j) {
      sum += computed_in(dy.data != nullptr ? dy.data[(o * copies.length + j) * inner + k] : dy.number);
    }
    out[(o * copies.size + copies.first + i) * inner + k] = rounded_to<T>(sum);
  }
}
template <class T> void run_repeat_grad(const KernelArgs& args) {
  const Array& dy = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return;
  for_copies(args, dy, args.as<RepeatAttrs>().n.count, [&](const Copies& copies) {
    int64_t work = copies.outer * copies.count * copies.inner;
    launch(launch_of(args), grid_for(launch_of(args), work), repeat_grad_kernel<T>, copies, input_of<T>(dy),
           out.as<T>());
  });
}

}  // namespace

void register_arrange_cuda(CudaKernels& kernels) {
  kernels.add("Tile", kAnyDType, {.run = run_tile});
  kernels.add("Repeat", kAnyDType, {.run = run_repeat});
  kernels.add_each("RepeatGrad", AllFloats{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_repeat_grad<T>}; });
  kernels.add("PadV2", kAnyDType, {.run = run_pad});
  kernels.add("ReverseV2", kAnyDType, {.run = run_flip});
  kernels.add("Roll", kAnyDType, {.run = run_roll});
}

}  // namespace lutra::cuda
