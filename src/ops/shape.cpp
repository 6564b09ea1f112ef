// Ops that arrange elements in another shape: reshape and related ops, transpose, concat, stack. Indexing is in
// slice.cpp.

#include "ops/shape.h"

#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/slice.h"

namespace lutra {
namespace {

void reshape_shape(Inference& inference) {
  Shape x = inference.shape(0), asked = inference.attrs<ReshapeAttrs>().shape.shape();
  Shape known, out = asked;
  int open = -1;
  bool has_zero = false;
  for (int i = 0; i < asked.rank(); ++i) {
    require(asked[i] >= -1, inference.who(), ": shape ", asked, " has the negative size ", asked[i]);
    if (asked[i] == -1) {
      require(open < 0, inference.who(), ": shape ", asked, " has more than one -1");
      open = i;
    } else {
      has_zero |= asked[i] == 0;
      known.push(asked[i]);
    }
  }
  int64_t size = x.size();
  int64_t given = element_count(inference.who(), known.dims(), 1);
  if (open >= 0) {
    require(!has_zero, inference.who(), ": shape ", asked, " has -1 beside 0, where any size would do; say which");
    require(size % given == 0, inference.who(), ": x ", x, " has ", size,
            " elements, which is no multiple of the other sizes of shape ", asked);
    out[open] = size / given;
  } else {
    require(size == given, inference.who(), ": x ", x, " has ", size, size == 1 ? " element" : " elements", ", shape ",
            asked, " has ", given);
  }
  inference.output(inference.key(), out);
  inference.share();
}

void flatten_shape(Inference& inference) {
  inference.output(inference.key(), Shape{inference.shape(0).size()});
  inference.share();
}

void squeeze_shape(Inference& inference) {
  const Axes& axes = inference.attrs<AxisAttrs>().axis;
  Shape x = inference.shape(0), out;
  uint32_t chosen = inference.axes(axes, x.rank());
  for (int axis = 0; axis < x.rank(); ++axis) {
    bool goes = ((chosen >> axis) & 1) != 0 && (x[axis] == 1 || axes.given());
    require(!goes || x[axis] == 1, inference.who(), ": axis ", inference.shown(axis), " of x ", x, " has ", x[axis],
            " elements, expected 1");
    if (!goes) out.push(x[axis]);
  }
  inference.output(inference.key(), out);
  inference.share();
}

Shape with_axis(const Inference& inference, const Shape& x, const char* name, int axis, int64_t size) {
  require(x.rank() < kMaxRank, inference.who(), ": ", name, " ", x, " has ", kMaxRank,
          " axes already, and there can be no more");
  Shape out;
  for (int i = 0; i <= x.rank(); ++i) {
    if (i == axis) out.push(size);
    if (i < x.rank()) out.push(x[i]);
  }
  return out;
}

void expand_dims_shape(Inference& inference) {
  Shape x = inference.shape(0);
  require(inference.attrs<AxisAttrs>().axis.given(), inference.who(), ": axis is not given: expand_dims(x, axis)");
  int axis = one_axis(inference, inference.attrs<AxisAttrs>().axis, x.rank() + 1, "the result", 0);
  inference.output(inference.key(), with_axis(inference, x, "x", axis, 1));
  inference.share();
}

void transpose_shape(Inference& inference) {
  const Axes& perm = inference.attrs<TransposeAttrs>().perm;
  Shape x = inference.shape(0), out;
  int rank = x.rank();
  int order[kMaxRank];
  if (perm.given()) {
    require(perm.count == rank, inference.who(), ": perm lists ", perm.count, perm.count == 1 ? " axis" : " axes",
            ", and x ", x, " has ", rank);
    uint32_t seen = 0;
    for (int i = 0; i < rank; ++i) {
      order[i] = inference.axis(perm.v[i], rank, "perm's axis");
      require((seen >> order[i] & 1) == 0, inference.who(), ": perm lists axis ", inference.shown(perm.v[i]), " twice");
      seen |= 1u << order[i];
    }
  } else {
    for (int i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  }
  // If the axes of more than one element keep their order, nothing moves in memory.
  int before = -1;
  bool moves = false;
  for (int i = 0; i < rank; ++i) {
    out.push(x[order[i]]);
    if (x[order[i]] == 1) continue;
    moves |= order[i] < before;
    before = order[i];
  }
  inference.output(inference.key(), out);
  if (!moves || x.size() <= 1) inference.share();
}

void concat_shape(Inference& inference) {
  Shape out = inference.shape(0);
  require(out.rank() > 0, inference.who(), ": tensors[", inference.shown(0),
          "] is a scalar, which has no axis to join along; stack makes a new one");
  int axis = one_axis(inference, inference.attrs<AxisAttrs>().axis, out.rank(), "each of the tensors", 0);
  for (int i = 1; i < inference.inputs(); ++i) {
    Shape next = inference.shape(i);
    bool fits = next.rank() == out.rank();
    for (int d = 0; fits && d < out.rank(); ++d) fits = d == axis || next[d] == out[d];
    require(fits, inference.who(), ": tensors[", inference.shown(i), "] ", next, " does not match tensors[",
            inference.shown(0), "] ", inference.shape(0), ": sizes must be equal except along axis ",
            inference.shown(axis));
    require(!__builtin_add_overflow(out[axis], next[axis], &out[axis]), inference.who(), ": axis ",
            inference.shown(axis), " of the result is longer than memory can address");
  }
  inference.output(inference.key(), out);
}

void stack_shape(Inference& inference) {
  Shape x = inference.shape(0);
  for (int i = 1; i < inference.inputs(); ++i) {
    require(inference.shape(i) == x, inference.who(), ": tensors[", inference.shown(i), "] ", inference.shape(i),
            " does not match tensors[", inference.shown(0), "] ", x, ": all shapes must be equal");
  }
  int axis = one_axis(inference, inference.attrs<AxisAttrs>().axis, x.rank() + 1, "the result", 0);
  inference.output(inference.key(), with_axis(inference, x, "each tensor", axis, inference.inputs()));
}

void broadcast_to_shape(Inference& inference) {
  Shape x = inference.shape(0), wanted = inference.attrs<ReshapeAttrs>().shape.shape(), both;
  require(broadcast(x, wanted, &both) && both == wanted, inference.who(), ": x ", x, " does not fit shape ", wanted,
          ": sizes of an axis must be equal, or 1 in x");
  inference.output(inference.key(), wanted);
  if (x.size() == wanted.size()) inference.share();
}

void transpose_gradient(Gradient& g) {
  const Axes& perm = g.attrs<TransposeAttrs>().perm;
  int rank = g.shape_of(0).rank();
  TransposeAttrs back = g.attrs<TransposeAttrs>();
  for (int i = 0; perm.given() && i < rank; ++i) back.perm.v[perm.v[i] < 0 ? perm.v[i] + rank : perm.v[i]] = i;
  g.add(0, g.call("Transpose", {g.dy()}, back));
}

// Gives each tensor its slice of dy along `axis`; sizes(i) is the slice's length.
template <class Sizes> void cut(Gradient& g, int axis, bool drops, const Sizes& sizes) {
  int64_t first = 0;
  for (int i = 0; i < g.inputs(); ++i) {
    int64_t size = sizes(i);
    SliceAttrs part = range_along(axis, first, first + size - 1);
    part.drops[axis] = drops;
    if (g.needs(i) && size == 0) g.add(i, g.fill(g.shape_of(i), 0, g.dtype_of(i)));
    else if (g.needs(i)) g.add(i, g.call("StridedSlice", {g.dy()}, part));
    first += size;
  }
}

void concat_gradient(Gradient& g) {
  int axis = axis_of(g.attrs<AxisAttrs>().axis, g.shape_of(0).rank(), 0);
  cut(g, axis, false, [&](int i) { return g.shape_of(i)[axis]; });
}

void stack_gradient(Gradient& g) {
  cut(g, axis_of(g.attrs<AxisAttrs>().axis, g.output_shape().rank(), 0), true, [](int) { return int64_t{1}; });
}

}  // namespace

void define_shape_ops(OpRegistry& ops) {
  ops.define({
      .name = "Reshape",
      .lua_name = "reshape",
      .summary = "The same elements in another shape, in row-major order. Nothing is copied.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<ReshapeAttrs>({attr("shape", &ReshapeAttrs::shape,
                                         "the new sizes; one of them may be -1, which is "
                                         "computed from the number of elements")
                                        .required()}),
      .output = "the given shape; x's dtype",
      .errors = "InvalidArgument if the number of elements differs, for more than one -1, and for -1 beside 0.",
      .source = "numpy.reshape",
      .example = "lutra.reshape({1, 2, 3, 4}, {2, -1})  --> {{1, 2}, {3, 4}}",
      .shape = reshape_shape,
      .gradient = gradient_passes,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Flatten",
      .lua_name = "flatten",
      .summary = "The same elements along one axis, in row-major order. Nothing is copied.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .output = "(x's size,); x's dtype",
      .source = "numpy.ravel",
      .example = "lutra.flatten({{1, 2}, {3, 4}})  --> {1, 2, 3, 4}",
      .shape = flatten_shape,
      .gradient = gradient_passes,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Squeeze",
      .lua_name = "squeeze",
      .summary = "Removes axes of size 1. Nothing is copied.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<AxisAttrs>(
          {attr("axis", &AxisAttrs::axis, "the axis or axes to remove").positional().otherwise("all of size 1")}),
      .output = "x's shape without the axes; x's dtype",
      .errors = "InvalidArgument if a given axis does not have size 1, or does not exist.",
      .source = "numpy.squeeze",
      .example = "lutra.squeeze({{1, 2}})  --> {1, 2}",
      .shape = squeeze_shape,
      .gradient = gradient_passes,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "ExpandDims",
      .lua_name = "expand_dims",
      .summary = "Adds an axis of size 1. Nothing is copied.",
      .inputs = {{"x", kEveryDType, "any shape of up to seven axes"}},
      .attrs = attrs<AxisAttrs>({attr("axis", &AxisAttrs::axis,
                                      "the new axis' position in the result; -1 is the last; must "
                                      "be given")
                                     .positional()}),
      .output = "x's shape with a 1 at axis; x's dtype",
      .errors = "InvalidArgument if the result has no such axis or would have a ninth, and without an axis.",
      .source = "numpy.expand_dims",
      .example = "lutra.expand_dims({1, 2}, -1)  --> {{1}, {2}}",
      .shape = expand_dims_shape,
      .gradient = gradient_passes,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Transpose",
      .lua_name = "transpose",
      .summary = "The axes in another order.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<TransposeAttrs>({attr("perm", &TransposeAttrs::perm, "for each axis of the result, x's axis")
                                          .positional()
                                          .otherwise("x's axes from the last to the first")}),
      .output = "x's sizes in the order of perm; x's dtype",
      .errors = "InvalidArgument if perm does not list each axis once.",
      .source = "numpy.transpose",
      .example = "lutra.transpose({{1, 2, 3}, {4, 5, 6}})  --> {{1, 4}, {2, 5}, {3, 6}}",
      .shape = transpose_shape,
      .gradient = transpose_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "BroadcastTo",
      .lua_name = "broadcast_to",
      .summary = "Repeats x along axes of size 1, and along new axes in front, to the given shape.",
      .inputs = {{"x", kEveryDType, "broadcasts to shape"}},
      .attrs = attrs<ReshapeAttrs>({attr("shape", &ReshapeAttrs::shape, "the new sizes").required()}),
      .output = "the given shape; x's dtype",
      .errors = "InvalidArgument if x does not broadcast to the shape.",
      .source = "numpy.broadcast_to",
      .example = "lutra.broadcast_to({1, 2}, {2, 2})  --> {{1, 2}, {1, 2}}",
      .shape = broadcast_to_shape,
      .gradient = [](Gradient& g) { g.add(0, g.dy()); },
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "ConcatV2",
      .lua_name = "concat",
      .summary = "Joins tensors along an existing axis.",
      .inputs = {{"tensors", kEveryDType, "equal sizes except along axis", kVariadic}},
      .attrs = attrs<AxisAttrs>({attr("axis", &AxisAttrs::axis, "the axis to join along").positional().otherwise("1")}),
      .output = "the tensors' shape, with the sum of their sizes along axis; the promoted dtype",
      .errors = "InvalidArgument, naming the tensor, if ranks or other sizes differ, or if the axis does not exist.",
      .source = "numpy.concatenate",
      .example = "lutra.concat({{1, 2}, {3}})  --> {1, 2, 3}",
      .shape = concat_shape,
      .gradient = concat_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Pack",
      .lua_name = "stack",
      .summary = "Joins tensors of one shape along a new axis.",
      .inputs = {{"tensors", kEveryDType, "all the same", kVariadic}},
      .attrs = attrs<AxisAttrs>({attr("axis", &AxisAttrs::axis, "the new axis' position in the result; -1 is the last")
                                     .positional()
                                     .otherwise("1")}),
      .output = "the tensors' shape with their number at axis; the promoted dtype",
      .errors = "InvalidArgument, naming the tensor, if the shapes differ, or if the result has no such axis.",
      .source = "numpy.stack",
      .example = "lutra.stack({{1, 2}, {3, 4}}, -1)  --> {{1, 3}, {2, 4}}",
      .shape = stack_shape,
      .gradient = stack_gradient,
      .gpu = kAnyDType,
  });
}

}  // namespace lutra
