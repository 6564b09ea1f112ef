// Elements by their rank: the most frequent and the k-th smallest.

#include "ops/argmax.h"
#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/count.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/sort.h"

namespace lutra {
namespace {

struct ModeAttrs {
  Axes axis;
  bool keepdims = false;
  IndexBase base;
};
struct KthAttrs {
  int64_t k = 1;
  Axes axis;
  bool keepdims = false;
  IndexBase base;
};

// The results of reducing the one axis: values and places.
int one_axis_reduced(Inference& inference, const Axes& axes, bool keepdims) {
  Shape x = inference.shape(0);
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to put in order");
  int axis = one_axis(inference, axes, -1);
  require(x[axis] > 0, inference.who(), ": x ", x, " has no elements along axis ", inference.shown(axis));
  Shape out = reduced_shape(x, 1u << axis, keepdims);
  inference.output(inference.key(), out);
  inference.output(DType::Int64, out);
  return axis;
}

void mode_shape(Inference& inference) {
  const ModeAttrs& attrs = inference.attrs<ModeAttrs>();
  one_axis_reduced(inference, attrs.axis, attrs.keepdims);
}

void kth_shape(Inference& inference) {
  const KthAttrs& attrs = inference.attrs<KthAttrs>();
  int axis = one_axis_reduced(inference, attrs.axis, attrs.keepdims);
  int64_t size = inference.shape(0)[axis];
  require(attrs.k >= 1 && attrs.k <= size, inference.who(), ": k is ", attrs.k, ", expected 1 to ", size,
          ", the elements along the axis");
}

// The elements of x at `places` along its axis, and these places counted from the op's first index.
void give_places(Composition& c, int axis, Value places, IndexBase base) {
  Value values = c.call("TakeAlongAxis", {c.x(), places}, GatherAttrs{single(axis), {}});
  c.give(0, c.reshape(values, c.output_shape(0)));
  if (base.value != 0) places = places + static_cast<double>(base.value);
  c.give(1, c.reshape(places, c.output_shape(1)));
}

// With the axis last, each element of the lines in order is counted by the places where it would be inserted: behind
// its equals less before them. The first that is most frequent is the smallest.
void compose_mode(Composition& c) {
  const ModeAttrs& attrs = c.attrs<ModeAttrs>();
  Value x = c.call("StopGradient", {c.x()});
  Shape shape = c.shape(x);
  const int rank = shape.rank(), axis = axis_of(attrs.axis, rank, -1);
  TransposeAttrs to_end;
  to_end.perm.count = static_cast<int8_t>(rank);
  to_end.perm.is_list = true;
  for (int i = 0; i < rank; ++i) to_end.perm.v[i] = i == rank - 1 ? axis : i < axis ? i : i + 1;
  const int64_t n = shape[axis], lines = shape.size() / std::max<int64_t>(n, 1);
  Value rows = c.reshape(axis == rank - 1 ? x : c.call("Transpose", {x}, to_end), Shape{lines, n});
  const Axes of_rows = single(1);
  Value order = c.call("Argsort", {rows}, ArgsortAttrs{of_rows, false, {}});
  Value sorted = c.call("TakeAlongAxis", {rows, order}, GatherAttrs{of_rows, {}});
  SearchAttrs before, behind;
  behind.right = true;
  Value count = c.call("LowerBound", {sorted, sorted}, behind) - c.call("LowerBound", {sorted, sorted}, before);
  Value most = c.call("ArgMax", {count}, ArgMaxAttrs{of_rows, true, {}});
  Value place = c.call("TakeAlongAxis", {order, most}, GatherAttrs{of_rows, {}});
  give_places(c, axis, c.reshape(place, reduced_shape(shape, 1u << axis, true)), attrs.base);
}

void compose_kth(Composition& c) {
  const KthAttrs& attrs = c.attrs<KthAttrs>();
  Value x = c.call("StopGradient", {c.x()});
  const int axis = axis_of(attrs.axis, c.shape(x).rank(), -1);
  Value order = c.call("Argsort", {x}, ArgsortAttrs{single(axis), false, {}});
  Value kth = c.call("StridedSlice", {order}, range_along(axis, attrs.k - 1, attrs.k - 1));
  give_places(c, axis, kth, attrs.base);
}

constexpr const char* kPickedOutput = "values in x's dtype and indices in int64, both in x's shape without the axis";

}  // namespace

void define_order_statistics_ops(OpRegistry& ops) {
  ops.define({
      .name = "Mode",
      .lua_name = "mode",
      .summary = "The most frequent element along an axis, of equally frequent ones the smallest, and the index of the "
                 "first that equals it. nan counts as larger than every number.",
      .inputs = {{"x", kNumbers, "at least one axis"}},
      .attrs = attrs<ModeAttrs>({attr("axis", &ModeAttrs::axis, "the axis to reduce").positional().otherwise("-1"),
                                 keepdims_option<ModeAttrs>(),
                                 attr("index_base", &ModeAttrs::base, "what the first index is")}),
      .output = kPickedOutput,
      .errors = "InvalidArgument if x is a scalar or bool, for an axis that does not exist or has no elements.",
      .source = "torch.mode, scipy.stats.mode",
      .example = "lutra.mode{3, 1, 3, 2}  --> 3, 1",
      .outputs = 2,
      .shape = mode_shape,
      .compose = compose_mode,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "KthValue",
      .lua_name = "kthvalue",
      .summary = "The k-th smallest element along an axis, and its index; of equal elements the first ones come first. "
                 "nan counts as larger than every number.",
      .inputs = {{"x", kNumbers, "at least one axis"}},
      .attrs = attrs<KthAttrs>({attr("k", &KthAttrs::k, "1 for the smallest").required(),
                                attr("axis", &KthAttrs::axis, "the axis to reduce").positional().otherwise("-1"),
                                keepdims_option<KthAttrs>(),
                                attr("index_base", &KthAttrs::base, "what the first index is")}),
      .output = kPickedOutput,
      .errors = "InvalidArgument if x is a scalar or bool, for an axis that does not exist, or if k is not 1 to the "
                "number of elements along it.",
      .source = "torch.kthvalue",
      .example = "lutra.kthvalue({30, 10, 20}, 2)  --> 20, 3",
      .outputs = 2,
      .shape = kth_shape,
      .compose = compose_kth,
      .gpu = kNumbers,
  });
}

}  // namespace lutra
