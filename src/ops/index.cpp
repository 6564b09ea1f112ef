// Picking elements by index: gather and related ops. Adding at indices is in scatter.cpp.

#include "ops/index.h"

#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void gather_shape(Inference& inference) {
  const GatherAttrs& attrs = inference.attrs<GatherAttrs>();
  Shape x = inference.shape(0), indices = inference.shape(1), out;
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to gather along");
  int axis = one_axis(inference, attrs.axis, 0);
  require_axes(inference, x.rank() - 1 + indices.rank());
  for (int i = 0; i < axis; ++i) out.push(x[i]);
  for (int i = 0; i < indices.rank(); ++i) out.push(indices[i]);
  for (int i = axis + 1; i < x.rank(); ++i) out.push(x[i]);
  inference.output(inference.key(), out);
}

void gather_nd_shape(Inference& inference) {
  Shape x = inference.shape(0), indices = inference.shape(1), out;
  require(indices.rank() > 0, inference.who(),
          ": indices is a scalar, expected a last axis that lists an index an axis");
  int64_t depth = indices[indices.rank() - 1];
  require(depth <= x.rank(), inference.who(), ": indices ", indices, " lists ", depth, " indices a place, and x ", x,
          " has ", x.rank(), x.rank() == 1 ? " axis" : " axes");
  require_axes(inference, indices.rank() - 1 + x.rank() - static_cast<int>(depth));
  for (int i = 0; i + 1 < indices.rank(); ++i) out.push(indices[i]);
  for (int i = static_cast<int>(depth); i < x.rank(); ++i) out.push(x[i]);
  inference.output(inference.key(), out);
}

void take_along_axis_shape(Inference& inference) {
  Shape x = inference.shape(0), indices = inference.shape(1), out;
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to take along");
  int axis = one_axis(inference, inference.attrs<GatherAttrs>().axis, 0);
  Shape others = x;
  bool fits = indices.rank() == x.rank();
  if (fits) others[axis] = indices[axis];
  fits = fits && broadcast(others, indices, &out);
  require(fits, inference.who(), ": indices ", indices, " does not fit x ", x,
          ": they must have as many axes, and sizes that are equal or 1 except along axis ", inference.shown(axis));
  inference.output(inference.key(), out);
}

// Bytes moved: each result twice, and the indices.
Cost pick_cost(const KernelArgs& args) { return {.flops = 0, .bytes = 2 * args.out[0].bytes() + args.in[1].bytes()}; }

// The attributes that add along `axis` of input 0 what was picked there.
ScatterAttrs scattering(Gradient& g, int64_t axis, IndexBase base) {
  ScatterAttrs attrs;
  attrs.shape = Dims::of(g.shape_of(0));
  attrs.axis = axis;
  attrs.base = base;
  return attrs;
}

// gather and take_along_axis pick along an axis, and `scatter` adds back along it.
void add_back(Gradient& g, const char* scatter) {
  const GatherAttrs& attrs = g.attrs<GatherAttrs>();
  int axis = axis_of(attrs.axis, g.shape_of(0).rank(), 0);
  g.add(0, g.call(scatter, {g.dy(), g.x(1)}, scattering(g, axis, attrs.base)));
}
void gather_gradient(Gradient& g) { add_back(g, "GatherGrad"); }
void take_along_axis_gradient(Gradient& g) { add_back(g, "TakeAlongAxisGrad"); }
void gather_nd_gradient(Gradient& g) {
  g.add(0, g.call("ScatterNd", {g.dy(), g.x(1)}, scattering(g, 0, g.attrs<IndexAttrs>().base)));
}

}  // namespace

void require_axes(const Inference& inference, int count) {
  require(count <= kMaxRank, inference.who(), ": x ", inference.shape(0), " and indices ", inference.shape(1), " make ",
          count, " axes, and there can be ", kMaxRank);
}

Error wrong_index(const char* op, const Fault& fault) {
  if (fault.limit < 0) return Error(ErrorCode::InvalidArgument, text(op, ": index 0; indices count from 1"));
  return Error(ErrorCode::OutOfRange, text(op, ": index ", fault.value, " is past the axis' end (", fault.limit, ")"));
}

Error wrong_number(const char* op, const char* what, const char* of, const Fault& fault) {
  if (fault.value == 0) {
    return Error(ErrorCode::InvalidArgument, text(op, ": ", what, " 0; ", what, "s count from 1"));
  }
  return Error(ErrorCode::OutOfRange,
               text(op, ": ", what, " ", fault.value, " is not there: there are ", fault.limit, " ", of));
}

void define_index_ops(OpRegistry& ops) {
  ops.define({
      .name = "GatherV2",
      .lua_name = "gather",
      .summary =
          "The slices of x at the given indices along an axis. Indices count from 1, negative ones from the end.",
      .inputs = {{"x", kEveryDType, "at least one axis"}, {"indices", kInts, "any shape", kOwnDType}},
      .attrs =
          attrs<GatherAttrs>({attr("axis", &GatherAttrs::axis, "x's axis to pick along").positional().otherwise("1"),
                              attr("index_base", &GatherAttrs::base, "what the first index is")}),
      .output = "x's shape with axis replaced by the axes of indices; x's dtype",
      .errors =
          "InvalidArgument for the index 0, an axis that does not exist, or a ninth axis; OutOfRange for an index past "
          "the axis' end.",
      .source = "numpy.take, tf.gather",
      .example = "lutra.gather({10, 20, 30}, {3, 1, -1})  --> {30, 10, 30}",
      .shape = gather_shape,
      .gradient = gather_gradient,
      .saves = kX1,
      .fault = wrong_index,
      .cost = pick_cost,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "GatherNd",
      .lua_name = "gather_nd",
      .summary = "The elements or slices of x at the given positions: the last axis of indices lists one index for "
                 "each of x's "
                 "leading axes. Indices count from 1, negative ones from the end.",
      .inputs = {{"x", kEveryDType, "any shape"}, {"indices", kInts, "[..., k], k at most x's axes", kOwnDType}},
      .attrs = attrs<IndexAttrs>({attr("index_base", &IndexAttrs::base, "what the first index is")}),
      .output = "the shape of indices without its last axis, then x's without its first k; x's dtype",
      .errors = "InvalidArgument for the index 0, more indices than x has axes, or a ninth axis; OutOfRange for an "
                "index past its axis' end.",
      .source = "tf.gather_nd",
      .example = "lutra.gather_nd({{1, 2}, {3, 4}}, {{1, 2}, {-1, 1}})  --> {2, 3}",
      .shape = gather_nd_shape,
      .gradient = gather_nd_gradient,
      .saves = kX1,
      .fault = wrong_index,
      .cost = pick_cost,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "TakeAlongAxis",
      .lua_name = "take_along_axis",
      .summary =
          "Picks elements of x along an axis, with separate indices for each line: out[i, j] = x[indices[i, j], j] for "
          "axis 1 of a matrix. Takes the results of argsort and argmax. Indices count from 1, negative ones from the "
          "end.",
      .inputs = {{"x", kEveryDType, "at least one axis"},
                 {"indices", kInts, "x's number of axes; broadcasts, except along axis", kOwnDType}},
      .attrs =
          attrs<GatherAttrs>({attr("axis", &GatherAttrs::axis, "x's axis to pick along").positional().otherwise("1"),
                              attr("index_base", &GatherAttrs::base, "what the first index is")}),
      .output = "the broadcast shape of x and indices with the size of indices along axis; x's dtype",
      .errors = "InvalidArgument for the index 0, an axis that does not exist, or shapes that do not match; OutOfRange "
                "for an "
                "index past the axis' end.",
      .source = "numpy.take_along_axis",
      .example = "lutra.take_along_axis({{1, 2}, {3, 4}}, {{2}, {1}}, 2)  --> {{2}, {3}}",
      .shape = take_along_axis_shape,
      .gradient = take_along_axis_gradient,
      .saves = kX1,
      .fault = wrong_index,
      .cost = pick_cost,
      .gpu = kAnyDType,
  });
}

}  // namespace lutra
