// Ops that repeat, pad or move elements: tile, repeat_interleave, pad, flip, roll.
#include "ops/arrange.h"

#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/shape.h"
#include "ops/slice.h"

namespace lutra {
namespace {

// a * b as the size of an axis.
int64_t axis_size(const Inference& inference, int64_t a, int64_t b) {
  int64_t size;
  require(!__builtin_mul_overflow(a, b, &size), inference.who(),
          ": an axis of the result is longer than memory can address");
  return size;
}

int64_t longer(const Inference& inference, int64_t a, int64_t b) {
  int64_t size;
  require(!__builtin_add_overflow(a, b, &size), inference.who(),
          ": an axis of the result is longer than memory can address");
  return size;
}

void tile_shape(Inference& inference) {
  const Counts& counts = inference.attrs<TileAttrs>().counts;
  Shape x = inference.shape(0), out;
  for (int i = 0; i < counts.count; ++i) {
    require(counts.v[i] >= 0, inference.who(), ": counts[", inference.shown(i), "] is ", counts.v[i],
            ", expected 0 or more");
  }
  int rank = std::max<int>(x.rank(), counts.count);
  for (int axis = 0; axis < rank; ++axis) {
    int own = axis - (rank - x.rank()), at = axis - (rank - counts.count);
    out.push(axis_size(inference, own >= 0 ? x[own] : 1, at >= 0 ? counts.v[at] : 1));
  }
  inference.output(inference.key(), out);
  if (out.size() == x.size()) inference.share();
}

// The sum over the repetitions, axis by axis. The outermost axis first, as that shrinks the tensor most.
void tile_gradient(Gradient& g) {
  Shape x = g.shape_of(0), out = g.output_shape();
  if (out.size() == 0) return g.add(0, g.fill(x, 0, g.dtype_of(0)));
  Value sum = g.dy();
  int64_t before = 1, rest = out.size();
  for (int axis = 0; axis < out.rank(); ++axis) {
    int own = axis - (out.rank() - x.rank());
    int64_t size = own >= 0 ? x[own] : 1;
    int64_t count = out[axis] / size;
    rest /= count;
    if (count > 1) sum = g.sum(g.reshape(sum, Shape{before, count, rest}), 1u << 1);
    before *= size;
    rest /= size;
  }
  g.add(0, g.reshape(sum, x));
}

void repeat_shape(Inference& inference) {
  const RepeatAttrs& attrs = inference.attrs<RepeatAttrs>();
  Shape out = inference.shape(0);
  require(out.rank() > 0, inference.who(), ": x is a scalar, which has no axis to repeat along");
  int axis = one_axis(inference, attrs.axis, 0);
  if (attrs.n.is_list()) {
    require(attrs.n.count == 1 || attrs.n.count == out[axis], inference.who(), ": n lists ", attrs.n.count,
            attrs.n.count == 1 ? " count" : " counts", ", and axis ", inference.shown(axis), " of x ",
            inference.shape(0), " has ", out[axis], out[axis] == 1 ? " element" : " elements");
  }
  auto check = [&](int64_t n, const std::string& name) {
    require(n >= 0, inference.who(), ": ", name, " is ", n, ", expected 0 or more");
  };
  if (attrs.is_uniform()) {
    check(attrs.at(0), attrs.n.is_list() ? text("n[", inference.shown(0), "]") : "n");
    out[axis] = axis_size(inference, out[axis], attrs.at(0));
  } else {
    int64_t size = 0;
    for (int64_t i = 0; i < attrs.n.count; ++i) {
      if (attrs.n.v[i] < 0) check(attrs.n.v[i], text("n[", inference.shown(i), "]"));
      size = longer(inference, size, attrs.n.v[i]);
    }
    out[axis] = size;
  }
  inference.output(inference.key(), out);
  if (attrs.is_uniform() && attrs.at(0) == 1) inference.share();
}

void repeat_gradient(Gradient& g) {
  const RepeatAttrs& attrs = g.attrs<RepeatAttrs>();
  Shape x = g.shape_of(0), out = g.output_shape();
  if (out.size() == 0) return g.add(0, g.fill(x, 0, g.dtype_of(0)));
  if (!attrs.is_uniform()) return g.add(0, g.call("RepeatGrad", {g.dy()}, attrs));
  int axis = axis_of(attrs.axis, x.rank(), 0);
  int64_t before = 1;
  for (int i = 0; i <= axis; ++i) before *= x[i];
  Shape apart{before, attrs.at(0), x.size() / before};
  g.add(0, g.reshape(g.sum(g.reshape(g.dy(), apart), 1u << 1), x));
}

void repeat_grad_shape(Inference& inference) {
  const RepeatAttrs& attrs = inference.attrs<RepeatAttrs>();
  Shape out = inference.shape(0);
  out[axis_of(attrs.axis, out.rank(), 0)] = attrs.n.count;
  inference.output(inference.key(), out);
}

void pad_shape(Inference& inference) {
  const PadAttrs& attrs = inference.attrs<PadAttrs>();
  Shape x = inference.shape(0), out;
  require(attrs.paddings.count == x.rank(), inference.who(), ": paddings lists ", attrs.paddings.count,
          attrs.paddings.count == 1 ? " axis" : " axes", ", and x ", x, " has ", x.rank());
  for (int axis = 0; axis < x.rank(); ++axis) {
    for (int side = 0; side < 2; ++side) {
      require(attrs.paddings.v[axis][side] >= 0, inference.who(), ": paddings[", inference.shown(axis), "][",
              inference.shown(side), "] is ", attrs.paddings.v[axis][side], ", expected 0 or more");
    }
    out.push(longer(inference, longer(inference, x[axis], attrs.paddings.v[axis][0]), attrs.paddings.v[axis][1]));
  }
  DType dtype = inference.key();
  const Scalar& value = attrs.value;
  bool is_bool = value.kind == Scalar::Kind::Bool;
  bool is_default = value.kind == Scalar::Kind::Int && value.i == 0;
  require(is_bool == (dtype == DType::Bool) || is_default, inference.who(), ": value is a ",
          is_bool ? "boolean" : "number", ", expected ", is_bool ? "a number, as x is " : "a boolean, as x is ", dtype);
  require(is_bool || !is_integer(dtype) || fits(dtype, value), inference.who(), ": value is ",
          value.kind == Scalar::Kind::Int ? text(value.i) : text(value.d), ", which does not fit ", dtype);
  inference.output(dtype, out);
  if (out == x) inference.share();
}

void pad_gradient(Gradient& g) {
  const Pads& paddings = g.attrs<PadAttrs>().paddings;
  Shape x = g.shape_of(0);
  if (x.size() == 0) return g.add(0, g.fill(x, 0, g.dtype_of(0)));
  SliceAttrs inner;
  inner.count = static_cast<int8_t>(x.rank());
  for (int i = 0; i < x.rank(); ++i) inner.axis[i] = {paddings.v[i][0], paddings.v[i][0] + x[i] - 1, 1};
  g.add(0, g.call("StridedSlice", {g.dy()}, inner));
}

void flip_shape(Inference& inference) {
  Shape x = inference.shape(0);
  uint32_t turned = inference.axes(inference.attrs<AxisAttrs>().axis, x.rank());
  inference.output(inference.key(), x);
  bool moves = false;
  for (int i = 0; i < x.rank(); ++i) moves |= (turned >> i & 1u) != 0 && x[i] > 1;
  if (!moves || x.size() == 0) inference.share();
}

void roll_shape(Inference& inference) {
  const RollAttrs& attrs = inference.attrs<RollAttrs>();
  Shape x = inference.shape(0);
  if (attrs.axis.given()) {
    (void)inference.axes(attrs.axis, x.rank());
    require(attrs.shift.count == attrs.axis.count || !attrs.shift.is_list, inference.who(), ": shift lists ",
            attrs.shift.count, attrs.shift.count == 1 ? " distance" : " distances", ", and axis ", attrs.axis.count,
            attrs.axis.count == 1 ? " axis" : " axes");
  } else {
    require(attrs.shift.count == 1, inference.who(), ": shift lists ", attrs.shift.count,
            " distances, and no axis is given, expected one distance");
  }
  inference.output(inference.key(), x);
}

void roll_gradient(Gradient& g) {
  RollAttrs back = g.attrs<RollAttrs>();
  Shape x = g.shape_of(0);
  if (x.size() == 0) return g.add(0, g.dy());
  if (!back.shift.is_list && back.axis.given()) {
    for (int i = 1; i < back.axis.count; ++i) back.shift.v[i] = back.shift.v[0];
    back.shift.count = back.axis.count;
    back.shift.is_list = true;
  }
  for (int i = 0; i < back.shift.count; ++i) {
    int64_t axis = back.axis.given() ? back.axis.v[i] : 0;
    int64_t size = back.axis.given() ? x[static_cast<int>(axis < 0 ? axis + x.rank() : axis)] : x.size();
    back.shift.v[i] = -(back.shift.v[i] % size);
  }
  g.add(0, g.call("Roll", {g.dy()}, back));
}

}  // namespace

void define_arrange_ops(OpRegistry& ops) {
  ops.define({
      .name = "Tile",
      .lua_name = "tile",
      .summary = "The whole tensor repeated along its axes.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<TileAttrs>({attr("counts", &TileAttrs::counts,
                                      "the number of repetitions for each axis, aligned at the last; more counts than "
                                      "axes add axes in front; a number is the last axis' count")
                                     .required()}),
      .output = "x's sizes times the counts; x's dtype",
      .errors = "InvalidArgument for a negative count or more than eight.",
      .source = "numpy.tile",
      .example = "lutra.tile({1, 2}, {2, 2})  --> {{1, 2, 1, 2}, {1, 2, 1, 2}}",
      .shape = tile_shape,
      .gradient = tile_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Repeat",
      .lua_name = "repeat_interleave",
      .summary = "Repeats each element of an axis; its copies are neighbours.",
      .inputs = {{"x", kEveryDType, "at least one axis"}},
      .attrs = attrs<RepeatAttrs>(
          {attr(
               "n", &RepeatAttrs::n,
               "the number of copies of each element; or a list of counts: one per element of the axis, or one for all")
               .required(),
           attr("axis", &RepeatAttrs::axis, "the axis to repeat along").positional().otherwise("1")}),
      .output = "x's shape, except that the axis is as long as the sum of the counts; x's dtype",
      .errors = "InvalidArgument for a scalar, an axis that does not exist, a negative count or a list of several "
                "counts that is not as long as the axis.",
      .source = "numpy.repeat, tf.repeat",
      .example = "lutra.repeat_interleave({1, 2}, {1, 3})  --> {1, 2, 2, 2}",
      .shape = repeat_shape,
      .gradient = repeat_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "RepeatGrad",
      .summary = "Sums the elements that are copies of one element: the gradient of Repeat with a list of counts.",
      .inputs = {{"dy", kInexact, "of Repeat's result"}},
      .attrs = attrs<RepeatAttrs>({attr("n", &RepeatAttrs::n, "the counts")}),
      .output = "the shape of Repeat's x",
      .shape = repeat_grad_shape,
      .gradient = [](Gradient& g) { g.add(0, g.call("Repeat", {g.dy()}, g.attrs<RepeatAttrs>())); },
      .gpu = kFloats,
      .flags = kHidden,
  });
  ops.define({
      .name = "PadV2",
      .lua_name = "pad",
      .summary = "Adds elements of one value before and after the elements of each axis. With the option mode = "
                 "\"reflect\", \"symmetric\", \"replicate\" or \"circular\" it adds elements of x, as mirror_pad does.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<PadAttrs>({attr("paddings", &PadAttrs::paddings,
                                     "for each axis the number of elements to add before and after: {{1, 1}, ...}")
                                    .required(),
                                attr("value", &PadAttrs::value, "the value of the added elements; a boolean for bool")
                                    .otherwise("0, false for bool")}),
      .output = "x's shape with the paddings added; x's dtype",
      .errors = "InvalidArgument for a negative padding, other than one pair an axis, or a value that does not fit x's "
                "dtype.",
      .source = "numpy.pad, tf.pad",
      .example = "lutra.pad({1, 2}, {{1, 2}})  --> {0, 1, 2, 0, 0}",
      .shape = pad_shape,
      .gradient = pad_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "ReverseV2",
      .lua_name = "flip",
      .summary = "The elements in reverse order along some axes.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<AxisAttrs>(
          {attr("axis", &AxisAttrs::axis, "the axis or axes to reverse").positional().otherwise("all")}),
      .output = "x's shape and dtype",
      .errors = "InvalidArgument if an axis does not exist or is given twice.",
      .source = "numpy.flip, tf.reverse",
      .example = "lutra.flip{1, 2, 3}  --> {3, 2, 1}",
      .shape = flip_shape,
      .gradient = [](Gradient& g) { g.add(0, g.call("ReverseV2", {g.dy()}, g.attrs<AxisAttrs>())); },
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Roll",
      .lua_name = "roll",
      .summary = "Shifts the elements along an axis; those shifted past one end come in at the other.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<RollAttrs>({attr("shift", &RollAttrs::shift,
                                      "the distance, negative towards the front; one number, or one for each axis")
                                     .required(),
                                 attr("axis", &RollAttrs::axis, "the axis or axes to shift along")
                                     .positional()
                                     .otherwise("the flattened tensor")}),
      .output = "x's shape and dtype",
      .errors = "InvalidArgument if an axis does not exist or is given twice, or for a list of distances that is not "
                "as long as "
                "that of axes.",
      .source = "numpy.roll",
      .example = "lutra.roll({1, 2, 3}, 1)  --> {3, 1, 2}",
      .shape = roll_shape,
      .gradient = roll_gradient,
      .gpu = kAnyDType,
  });
}

}  // namespace lutra
