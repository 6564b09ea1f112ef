// Differences of neighbours, and slopes made of them.

#include <algorithm>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/slice.h"

namespace lutra {
namespace {

struct DiffAttrs {
  Axes axis;
  int64_t n = 1;
};

void diff_shape(Inference& inference) {
  const DiffAttrs& attrs = inference.attrs<DiffAttrs>();
  Shape x = inference.shape(0);
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis");
  require(attrs.n >= 0, inference.who(), ": n is ", attrs.n, ", expected 0 or more");
  int axis = one_axis(inference, attrs.axis, -1);
  x[axis] = std::max<int64_t>(x[axis] - std::min(attrs.n, x[axis]), 0);
  inference.output(inference.key(), x);
}

void compose_diff(Composition& c) {
  const DiffAttrs& attrs = c.attrs<DiffAttrs>();
  Value x = c.x();
  int axis = axis_of(attrs.axis, c.shape(x).rank(), -1);
  // The elements [first, last] along the axis.
  auto part = [&](int64_t first, int64_t last) { return c.call("StridedSlice", {x}, range_along(axis, first, last)); };
  int64_t size = c.shape(x)[axis], kept = c.output_shape()[axis];
  if (kept == 0 && size > 0) return c.give(part(1, 0));
  for (; size > kept; --size) x = part(1, size - 1) - part(0, size - 2);
  c.give(x);
}

struct SlopeAttrs {
  Axes axis;
  double dx = 1;
  int64_t edge_order = 1;
};

void slope_shape(Inference& inference) {
  const SlopeAttrs& attrs = inference.attrs<SlopeAttrs>();
  Shape x = inference.shape(0);
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis; the gradient of a loss is ",
          "tape:gradient(loss, variables), of a lutra.GradientTape");
  int axis = one_axis(inference, attrs.axis, -1);
  require(attrs.dx != 0 && attrs.dx == attrs.dx, inference.who(), ": dx is ", attrs.dx, ", expected a distance");
  require(attrs.edge_order == 1 || attrs.edge_order == 2, inference.who(), ": edge_order is ", attrs.edge_order,
          ", expected 1 or 2");
  require(x[axis] > attrs.edge_order, inference.who(), ": x ", x, " has ", x[axis], " elements along axis ",
          inference.shown(axis), ", expected ", attrs.edge_order + 1, " or more");
  inference.output(inference.key(), x);
}

// Central differences inside, and at both ends slopes of the parabola or the line through the last points.
void compose_slope(Composition& c) {
  const SlopeAttrs& attrs = c.attrs<SlopeAttrs>();
  Value x = unhalved(c, c.x());
  const int axis = axis_of(attrs.axis, c.shape(x).rank(), -1);
  const int64_t n = c.shape(x)[axis];
  auto part = [&](int64_t first, int64_t last) { return c.call("StridedSlice", {x}, range_along(axis, first, last)); };
  auto at = [&](int64_t i) { return part(i, i); };
  Value first = at(1) - at(0), last = at(n - 1) - at(n - 2);
  if (attrs.edge_order == 2) {
    first = at(1) * 2.0 - at(0) * 1.5 - at(2) * 0.5;
    last = at(n - 1) * 1.5 - at(n - 2) * 2.0 + at(n - 3) * 0.5;
  }
  Value slopes[] = {first, n > 2 ? (part(2, n - 1) - part(0, n - 3)) * 0.5 : last, last};
  const std::size_t count = n > 2 ? 3 : 2;
  Value all = c.call("ConcatV2", std::span<const Value>(slopes, count), AxisAttrs{single(axis)});
  c.give(attrs.dx == 1 ? all : all / attrs.dx);
}

}  // namespace

void define_diff_ops(OpRegistry& ops) {
  ops.define({
      .name = "Diff",
      .lua_name = "diff",
      .summary = "Each element along an axis less the one before it, n times over; integers wrap.",
      .inputs = {{"x", kNumbers | kComplex, "at least one axis"}},
      .attrs = attrs<DiffAttrs>(
          {attr("axis", &DiffAttrs::axis, "the axis along which to subtract").positional().otherwise("-1"),
           attr("n", &DiffAttrs::n, "how many times").otherwise("1")}),
      .output = "x's shape with n elements less along the axis, or none; x's dtype",
      .errors =
          "InvalidArgument if x is a scalar or bool, for a negative n, for an axis that does not exist, or for more "
          "than one.",
      .source = "numpy.diff",
      .example = "lutra.diff{1, 4, 9, 16}  --> {3, 5, 7}",
      .shape = diff_shape,
      .compose = compose_diff,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "NumericGradient",
      .lua_name = "gradient",
      .summary =
          "The slopes along an axis of samples at distance dx: central differences, and one-sided ones at both "
          "ends. In place of dx may stand the places of the samples along the axis, a vector; with a list of axes, and "
          "of a dx for each or one for all, the result is a list. The gradient of a loss is a tape's: "
          "tape:gradient(loss, variables).",
      .inputs = {{"x", kNumbers | kComplex, "at least one axis"}},
      .attrs = attrs<SlopeAttrs>(
          {attr("dx", &SlopeAttrs::dx, "the distance of two samples").positional().otherwise("1"),
           attr("axis", &SlopeAttrs::axis, "the axis along which the samples are").otherwise("-1"),
           attr("edge_order", &SlopeAttrs::edge_order, "1: lines at the ends; 2: parabolas").otherwise("1")}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors =
          "InvalidArgument if x is a scalar or bool, for an axis that does not exist or has fewer than edge_order "
          "+ 1 elements, for dx 0, for as many places as the axis does not have, or for another edge_order.",
      .source = "numpy.gradient",
      .example = "lutra.gradient{1, 4, 9, 16}  --> {3.0, 4.0, 6.0, 7.0}",
      .compute = Compute::Float,
      .shape = slope_shape,
      .compose = compose_slope,
      .gpu = kFloats,
      .flags = kNoMethod,
  });
}

}  // namespace lutra
