// Interpolation, polynomials, integrals of samples, and products of vectors and matrices.

#include <algorithm>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/count.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/vector_norm.h"

namespace lutra {
namespace {

void interp_shape(Inference& inference) {
  Shape xp = inference.shape(1), fp = inference.shape(2);
  require(xp.rank() == 1 && fp == xp && xp[0] > 0, inference.who(), ": xp ", xp, " and fp ", fp,
          " do not match: expected two vectors of one size, with at least one point");
  inference.output(inference.key(), inference.shape(0));
}

// The points next to each x: left of the first and right of the last one, that point.
void compose_interp(Composition& c) {
  Value x = unhalved(c, c.x(0)), xp = unhalved(c, c.x(1)), fp = unhalved(c, c.x(2));
  const int64_t n = c.shape(xp)[0];
  GatherAttrs along{.axis = single(0), .base = {}};
  auto number = [&](int64_t i) { return c.fill(Shape(), static_cast<double>(i), DType::Int64); };
  SearchAttrs right;
  right.right = true;
  Value above = c.call("Minimum", {c.call("LowerBound", {xp, x}, right), number(n - 1)});
  Value below = c.call("Maximum", {above - number(1), number(0)});
  Value x0 = c.call("GatherV2", {xp, below}, along), x1 = c.call("GatherV2", {xp, above}, along);
  Value f0 = c.call("GatherV2", {fp, below}, along), f1 = c.call("GatherV2", {fp, above}, along);
  Value width = x1 - x0;
  Value is_point = c.call("Equal", {width, 0.0});
  Value share = c.call("SelectV2", {is_point, 0.0, (x - x0) / c.call("SelectV2", {is_point, 1.0, width})});
  Value inside = f0 + (f1 - f0) * share;
  SliceAttrs end;
  end.count = 1;
  end.drops[0] = true;
  end.axis[0].first = -1;
  Value last_x = c.call("StridedSlice", {xp}, end), last_f = c.call("StridedSlice", {fp}, end);
  end.axis[0].first = 0;
  Value first_x = c.call("StridedSlice", {xp}, end), first_f = c.call("StridedSlice", {fp}, end);
  Value result = c.call("SelectV2", {c.call("GreaterEqual", {x, last_x}), last_f, inside});
  result = c.call("SelectV2", {c.call("LessEqual", {x, first_x}), first_f, result});
  c.give(c.call("SelectV2", {c.call("IsNan", {x}), x, result}));
}

void polyval_shape(Inference& inference) {
  Shape p = inference.shape(0);
  require(p.rank() == 1, inference.who(), ": p ", p, " has ", p.rank(), " axes, expected a vector of coefficients");
  inference.output(inference.key(), inference.shape(1));
}

void compose_polyval(Composition& c) {
  Value p = c.x(0), x = c.x(1);
  const int64_t n = c.shape(p)[0];
  Value sum = c.fill(c.output_shape(), 0, c.key());
  SliceAttrs one;
  one.count = 1;
  one.drops[0] = true;
  for (int64_t i = 0; i < n; ++i) {
    one.axis[0].first = one.axis[0].last = i;
    Value coefficient = c.call("StridedSlice", {p}, one);
    sum = i == 0 ? c.broadcast_to(coefficient, c.output_shape()) : sum * x + coefficient;
  }
  c.give(sum);
}

struct TrapezoidAttrs {
  Axes axis;
  double dx = 1;
};

void trapezoid_shape(Inference& inference) {
  Shape y = inference.shape(0);
  require(y.rank() > 0, inference.who(), ": y is a scalar, which has no axis");
  int axis = one_axis(inference, inference.attrs<TrapezoidAttrs>().axis, -1);
  inference.output(inference.key(), reduced_shape(y, 1u << axis, false));
}

// The elements [first, last] along the axis.
Value part_of(Composition& c, Value x, int axis, int64_t first, int64_t last) {
  return c.call("StridedSlice", {x}, range_along(axis, first, last));
}

void compose_trapezoid(Composition& c) {
  const TrapezoidAttrs& attrs = c.attrs<TrapezoidAttrs>();
  Value y = unhalved(c, c.x());
  int axis = axis_of(attrs.axis, c.shape(y).rank(), -1);
  const int64_t n = c.shape(y)[axis];
  if (n < 2) return c.give(0.0);
  Value middles = part_of(c, y, axis, 1, n - 1) + part_of(c, y, axis, 0, n - 2);
  c.give(c.sum(middles, 1u << axis) * (attrs.dx * 0.5));
}

void cross_shape(Inference& inference) {
  Shape a = inference.shape(0), b = inference.shape(1), out;
  bool fits = a.rank() > 0 && b.rank() > 0 && a[a.rank() - 1] == 3 && b[b.rank() - 1] == 3 && broadcast(a, b, &out);
  require(fits, inference.who(), ": a ", a, " and b ", b,
          " do not match: their last axes must have size 3, the others broadcast");
  inference.output(inference.key(), out);
}

void compose_cross(Composition& c) {
  Value a = c.broadcast_to(c.x(0), c.output_shape()), b = c.broadcast_to(c.x(1), c.output_shape());
  int axis = c.output_shape().rank() - 1;
  auto turned = [&](Value x, int64_t by) {
    // The components from number `by` on, and those before it.
    Value parts[] = {part_of(c, x, axis, by, 2), part_of(c, x, axis, 0, by - 1)};
    return c.call("ConcatV2", std::span<const Value>(parts), AxisAttrs{single(axis)});
  };
  c.give(turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1));
}

// Both shapes with as many axes, by axes of size 1 in front.
std::pair<Shape, Shape> aligned(Shape a, Shape b) {
  int rank = std::max(a.rank(), b.rank());
  auto filled = [rank](const Shape& x) {
    Shape out;
    for (int i = x.rank(); i < rank; ++i) out.push(1);
    for (int i = 0; i < x.rank(); ++i) out.push(x[i]);
    return out;
  };
  return {filled(a), filled(b)};
}

void kron_shape(Inference& inference) {
  auto [a, b] = aligned(inference.shape(0), inference.shape(1));
  require(2 * a.rank() <= kMaxRank, inference.who(), ": a ", inference.shape(0), " and b ", inference.shape(1),
          " have more than ", kMaxRank / 2, " axes");
  Shape out;
  for (int i = 0; i < a.rank(); ++i) {
    int64_t size;
    require(!__builtin_mul_overflow(a[i], b[i], &size), inference.who(),
            ": an axis of the result is longer than memory can address");
    out.push(size);
  }
  inference.output(inference.key(), out);
}

void compose_kron(Composition& c) {
  auto [a, b] = aligned(c.shape(c.x(0)), c.shape(c.x(1)));
  Shape apart_a, apart_b;
  for (int i = 0; i < a.rank(); ++i) {
    apart_a.push(a[i]);
    apart_a.push(1);
    apart_b.push(1);
    apart_b.push(b[i]);
  }
  c.give(c.reshape(c.reshape(c.x(0), apart_a) * c.reshape(c.x(1), apart_b), c.output_shape()));
}

void cdist_shape(Inference& inference) {
  Shape a = inference.shape(0), b = inference.shape(1);
  require(a.rank() == 2 && b.rank() == 2 && a[1] == b[1], inference.who(), ": a ", a, " and b ", b,
          " do not match: expected matrices with a row for each point, and as many columns");
  inference.output(inference.key(), Shape{a[0], b[0]});
}

void compose_cdist(Composition& c) {
  Value a = unhalved(c, c.x(0)), b = unhalved(c, c.x(1));
  Shape rows = c.shape(a), columns = c.shape(b);
  Value distance = c.reshape(a, Shape{rows[0], 1, rows[1]}) - c.reshape(b, Shape{1, columns[0], columns[1]});
  NormAttrs length;
  length.axis = single(2);
  c.give(c.call("Norm", {distance}, length));
}

}  // namespace

void define_interpolate_ops(OpRegistry& ops) {
  ops.define({
      .name = "Interp",
      .lua_name = "interp",
      .summary =
          "Linear interpolation at x between the points (xp, fp), whose xp ascend; the first or last fp outside.",
      .inputs = {{"x", kNumbers, "any shape"}, {"xp", kNumbers, "[n]"}, {"fp", kNumbers, "[n]"}},
      .output = "x's shape; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if xp and fp are no vectors of one size, have no points, or if all are bool.",
      .source = "numpy.interp",
      .example = "lutra.interp({0.5, 9.0}, {0, 1, 2}, {10, 20, 40})  --> {15.0, 40.0}",
      .compute = Compute::Float,
      .shape = interp_shape,
      .compose = compose_interp,
      .gpu = kFloats,
  });
  ops.define({
      .name = "Polyval",
      .lua_name = "polyval",
      .summary = "The polynomial with the coefficients p, the highest power first, at x.",
      .inputs = {{"p", kEveryNumber, "[n]"}, {"x", kEveryNumber, "any shape", kNumber}},
      .output = "x's shape; the promoted dtype",
      .errors = "InvalidArgument if p is no vector, or if both are bool.",
      .source = "numpy.polyval, tf.math.polyval",
      .example = "lutra.polyval({1, 0, -2}, {3, 4})  --> {7, 14}",
      .shape = polyval_shape,
      .compose = compose_polyval,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Trapezoid",
      .lua_name = "trapezoid",
      .summary =
          "The integral along an axis of samples at distance dx, by the trapezoidal rule; with the option x at the "
          "places x, a vector or in y's shape.",
      .inputs = {{"y", kEveryNumber, "at least one axis"}},
      .attrs = attrs<TrapezoidAttrs>(
          {attr("axis", &TrapezoidAttrs::axis, "the axis to integrate along").positional().otherwise("-1"),
           attr("dx", &TrapezoidAttrs::dx, "the distance of two samples").otherwise("1")}),
      .output = "y's shape without the axis; float32 for integers, else y's dtype",
      .errors = "InvalidArgument if y is a scalar or bool, for an axis that does not exist, or if x does not fit.",
      .source = "numpy.trapezoid",
      .example = "lutra.trapezoid{1, 2, 3}  --> 4.0",
      .compute = Compute::Float,
      .shape = trapezoid_shape,
      .compose = compose_trapezoid,
      .gpu = kFloats,
  });
  ops.define({
      .name = "Cross",
      .lua_name = "cross",
      .summary = "The cross products of vectors of three components, along the last axes.",
      .inputs = {{"a", kEveryNumber, "[..., 3]"}, {"b", kEveryNumber, "[..., 3]"}},
      .output = "the broadcast shape of both; the promoted dtype",
      .errors = "InvalidArgument if a last axis has another size, the others do not broadcast, or both are bool.",
      .source = "numpy.cross, tf.linalg.cross",
      .example = "lutra.cross({1, 0, 0}, {0, 1, 0})  --> {0, 0, 1}",
      .shape = cross_shape,
      .compose = compose_cross,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Kron",
      .lua_name = "kron",
      .summary = "The Kronecker product: each element of a times the whole of b.",
      .inputs = {{"a", kEveryNumber, "at most 4 axes"}, {"b", kEveryNumber, "at most 4 axes"}},
      .output = "sizes are the products of a's and b's; the promoted dtype",
      .errors = "InvalidArgument for more than 4 axes, or if both are bool.",
      .source = "numpy.kron",
      .example = "lutra.kron({1, 10}, {1, 2})  --> {1, 2, 10, 20}",
      .shape = kron_shape,
      .compose = compose_kron,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Cdist",
      .lua_name = "cdist",
      .summary =
          "The Euclidean distance of each row of a from each row of b, in batches whose first axes broadcast. With "
          "the option p = 0, 1, math.huge or another number Minkowski's distance of that order, where 0 counts the "
          "columns that differ; or with metric = \"cityblock\", \"sqeuclidean\", \"cosine\", \"correlation\", "
          "\"chebyshev\", \"minkowski\" (by p), \"hamming\", \"jaccard\", \"canberra\" or \"braycurtis\" "
          "that of SciPy's name.",
      .inputs = {{"a", kNumbers, "[..., n, columns]"}, {"b", kNumbers, "[..., m, columns]"}},
      .output = "[..., n, m]; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if a or b has fewer than two axes, their columns differ, for an unknown metric, or if "
                "one is bool.",
      .source = "torch.cdist, scipy.spatial.distance.cdist",
      .example = "lutra.cdist({{0.0, 0.0}}, {{3.0, 4.0}, {0.0, 1.0}})  --> {{5.0, 1.0}}",
      .compute = Compute::Float,
      .shape = cdist_shape,
      .compose = compose_cdist,
      .gpu = kFloats,
  });
}

}  // namespace lutra
