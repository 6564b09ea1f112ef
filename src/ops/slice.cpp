// t[...]: the slice that the entries pick. A slice that is contiguous in memory is shared, not copied.

#include "ops/slice.h"
#include "ops/gradient.h"

namespace lutra {
namespace {

// The index as the user wrote it: "t[{2, {}, {1, -1, 2}}]"; a single number without the list.
// For errors only: it costs as much as the rest of a slice.
std::string written(const Inference& inference, const SliceAttrs& attrs) {
  if (attrs.count == 1 && attrs.drops[0]) return text("t[", inference.shown(attrs.axis[0].first), "]");
  std::string out = "t[{";
  for (int i = 0; i < attrs.count; ++i) {
    const SliceAttrs::Range& range = attrs.axis[i];
    if (i > 0) out += ", ";
    if (attrs.all[i]) out += "{}";
    else if (attrs.drops[i]) append(out, inference.shown(range.first));
    else out += text("{", inference.shown(range.first), ", ", inference.shown(range.last));
    if (!attrs.all[i] && !attrs.drops[i]) out += range.step != 1 ? text(", ", range.step, "}") : "}";
  }
  return out + "}]";
}

// The shape of the slice of input 0. `first`: its first element if it is contiguous in memory, else -1.
Shape picked_shape(const Inference& inference, const SliceAttrs& attrs, int64_t* first) {
  Shape x = inference.shape(0), out;
  if (attrs.count > x.rank())
    fail(ErrorCode::InvalidArgument, written(inference, attrs), ": ", attrs.count,
         attrs.count == 1 ? " entry" : " entries", ", and the tensor ", x, " has ", x.rank(),
         x.rank() == 1 ? " axis" : " axes");
  // The slice is contiguous if, from the last axis on, each step is as long as all that is picked along later axes.
  uint64_t start = 0, stride = 1, piece = 1;  // unsigned: may overflow when another size is 0
  bool is_one_piece = true;
  Picked picked[kMaxRank];
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (axis < attrs.count && !attrs.all[axis] && !attrs.drops[axis]) {
      if (attrs.axis[axis].step == 0)
        fail(ErrorCode::InvalidArgument, written(inference, attrs), ": the step of axis ", inference.shown(axis),
             " is 0");
    }
    std::optional<Picked> found = pick(attrs, axis, x[axis]);
    if (!found) {
      fail(ErrorCode::OutOfRange, written(inference, attrs), ": axis ", inference.shown(axis), " has ", x[axis],
           x[axis] == 1 ? " element" : " elements");
    }
    picked[axis] = *found;
    start += static_cast<uint64_t>(found->first) * stride;
    if (found->count != 1) {
      is_one_piece &= static_cast<uint64_t>(found->step) * stride == piece;
      piece *= static_cast<uint64_t>(found->count);
    }
    stride *= static_cast<uint64_t>(x[axis]);
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis >= attrs.count || !attrs.drops[axis]) out.push(picked[axis].count);
  }
  *first = piece == 0 ? 0 : is_one_piece ? static_cast<int64_t>(start) : -1;
  return out;
}

void slice_shape(Inference& inference) {
  int64_t first;
  Shape out = picked_shape(inference, inference.attrs<SliceAttrs>(), &first);
  inference.output(inference.key(), out);
  if (first >= 0) inference.share(first);
}

void slice_assign_shape(Inference& inference) {
  const SliceAttrs& attrs = inference.attrs<SliceAttrs>();
  int64_t first;
  Shape part = picked_shape(inference, attrs, &first), value = inference.shape(1), both;
  if (!broadcast(part, value, &both) || both != part)
    fail(ErrorCode::InvalidArgument, written(inference, attrs), " = value: value has the shape ", value,
         ", which does not fit the part's ", part);
  inference.output_like(inference.key(), 0);
}

// Of dy, the slice that was overwritten belongs to the value, the rest to t.
void slice_assign_gradient(Gradient& g) {
  const SliceAttrs& attrs = g.attrs<SliceAttrs>();
  if (g.needs(0)) g.add(0, g.call("StridedSliceAssign", {g.dy(), 0.0}, attrs));
  if (g.needs(1)) g.add(1, g.call("StridedSlice", {g.dy()}, attrs));
}

void slice_gradient(Gradient& g) { g.add_part(0, g.attrs<SliceAttrs>(), g.dy()); }

void slice_add_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(1)) g.add(1, g.call("StridedSlice", {g.dy()}, g.attrs<SliceAttrs>()));
}

}  // namespace

void define_slice_ops(OpRegistry& ops) {
  ops.define({
      .name = "StridedSlice",
      .summary = "A slice of a tensor: t[i], t[{i, {first, last, step}, {}}].",
      .inputs = {{"t", kEveryDType, "any shape"}},
      .attrs = inner_attrs<SliceAttrs>(),
      .output = "one axis for each range, none for a single index; t's dtype",
      .errors = "OutOfRange past an axis' end; InvalidArgument for more entries than axes or a step of 0.",
      .source = "numpy's basic indexing, 1-based and with both ends included",
      .shape = slice_shape,
      .gradient = slice_gradient,
      .gpu = kAnyDType,
      .flags = kHidden,
  });
  ops.define({
      .name = "StridedSliceAssign",
      .summary = "A tensor with one slice replaced: v[...] = value for a variable.",
      .inputs = {{"t", kEveryDType, "any shape"}, {"value", kEveryDType, "broadcasts to the slice", kNumber}},
      .attrs = inner_attrs<SliceAttrs>(),
      .output = "t's shape and dtype",
      .errors = "As for indexing; InvalidArgument if value's shape does not broadcast to the slice.",
      .source = "tf.raw_ops.TensorStridedSliceUpdate",
      .shape = slice_assign_shape,
      .gradient = slice_assign_gradient,
      .gpu = kAnyDType,
      .flags = kHidden,
  });
  ops.define({
      .name = "StridedSliceAdd",
      .summary = "Adds to a slice of a tensor, for gradients of slices.",
      .inputs = {{"t", kInexact, "any shape"}, {"value", kInexact, "broadcasts to the slice"}},
      .attrs = inner_attrs<SliceAttrs>(),
      .output = "t's shape and dtype",
      .source = "the gradient of tf.strided_slice, added to t",
      .shape = slice_assign_shape,
      .gradient = slice_add_gradient,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

}  // namespace lutra
