// Elements by their place: gather and its kin, and the ops that add back to places. Order is in sort.cpp, masks and
// counts in count.cpp.

#include "ops/index.h"

#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

// The axis that was asked for, of x.
int one_axis(const Inference& inference, const Axes& axes, int64_t otherwise) {
  require(!axes.is_list, inference.who(), ": axis is a list, expected one axis");
  return inference.axis(axes.given() ? axes.v[0] : otherwise, inference.shape(0).rank());
}

// "gather: x (2, 3) and indices (4,) make 9 axes ..." when they do.
void require_axes(const Inference& inference, int count) {
  require(count <= kMaxRank, inference.who(), ": x ", inference.shape(0), " and indices ", inference.shape(1), " make ",
          count, " axes, and there can be ", kMaxRank);
}

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

void scatter_add_shape(Inference& inference) {
  Shape x = inference.shape(0), indices = inference.shape(1), updates = inference.shape(2), wanted;
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to add along");
  require_axes(inference, indices.rank() + x.rank() - 1);
  for (int i = 0; i < indices.rank(); ++i) wanted.push(indices[i]);
  for (int i = 1; i < x.rank(); ++i) wanted.push(x[i]);
  require(updates == wanted || updates.rank() == 0, inference.who(), ": updates ", updates, " does not fit: indices ",
          indices, " of x ", x, " take updates ", wanted, " or a scalar");
  inference.output_like(inference.key(), 0);
}

void scatter_shape(Inference& inference) {
  const Dims& dims = inference.attrs<ScatterAttrs>().shape;
  inference.output(inference.key(), Shape({dims.v, static_cast<std::size_t>(dims.count)}));
}

// What is moved: each result twice, and the indices.
Cost pick_cost(const KernelArgs& args) {
  const Array& indices = args.in[1];
  const Array& out = args.out[0];
  double moved = static_cast<double>(out.size) * static_cast<double>(size_of(out.dtype));
  return {.flops = 0,
          .bytes = 2 * moved + static_cast<double>(indices.size) * static_cast<double>(size_of(indices.dtype))};
}

// An addition an element of dy.
Cost scatter_cost(const KernelArgs& args) {
  double element = static_cast<double>(size_of(args.out[0].dtype));
  double added = static_cast<double>(args.in[0].size), results = static_cast<double>(args.out[0].size);
  double indices = static_cast<double>(args.in[1].size) * static_cast<double>(size_of(args.in[1].dtype));
  return {.flops = added, .bytes = (3 * added + results) * element + indices};
}

Cost scatter_add_cost(const KernelArgs& args) {
  double element = static_cast<double>(size_of(args.out[0].dtype));
  double added = static_cast<double>(args.in[2].size), results = static_cast<double>(args.out[0].size);
  double indices = static_cast<double>(args.in[1].size) * static_cast<double>(size_of(args.in[1].dtype));
  return {.flops = added, .bytes = (3 * added + 2 * results) * element + indices};
}

// What was picked along `axis` of input 0 goes back there.
ScatterAttrs scattering(Gradient& g, int64_t axis, IndexBase base) {
  ScatterAttrs attrs;
  Shape x = g.shape_of(0);
  attrs.shape.count = static_cast<int8_t>(x.rank());
  for (int i = 0; i < x.rank(); ++i) attrs.shape.v[i] = x[i];
  attrs.axis = axis;
  attrs.base = base;
  return attrs;
}

GatherAttrs picking(int64_t axis, IndexBase base) {
  GatherAttrs attrs;
  attrs.axis.count = 1;
  attrs.axis.v[0] = axis;
  attrs.base = base;
  return attrs;
}

// gather and take_along_axis pick along an axis, and `scatter` adds back along it.
void add_back(Gradient& g, const char* scatter) {
  const GatherAttrs& attrs = g.attrs<GatherAttrs>();
  int axis = index_axis(attrs.axis, g.shape_of(0).rank(), 0);
  g.add(0, g.call(scatter, {g.dy(), g.x(1)}, scattering(g, axis, attrs.base)));
}
void gather_gradient(Gradient& g) { add_back(g, "GatherGrad"); }
void take_along_axis_gradient(Gradient& g) { add_back(g, "TakeAlongAxisGrad"); }
void gather_nd_gradient(Gradient& g) {
  g.add(0, g.call("ScatterNd", {g.dy(), g.x(1)}, scattering(g, 0, g.attrs<IndexAttrs>().base)));
}

void scatter_add_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(2)) g.add(2, g.call("GatherV2", {g.dy(), g.x(1)}, picking(0, g.attrs<IndexAttrs>().base)));
}

// Those are linear: the gradient of each is the op it is the gradient of.
void pick_again(Gradient& g, const char* op) {
  const ScatterAttrs& attrs = g.attrs<ScatterAttrs>();
  g.add(0, g.call(op, {g.dy(), g.x(1)}, picking(attrs.axis, attrs.base)));
}
void gather_grad_gradient(Gradient& g) { pick_again(g, "GatherV2"); }
void take_along_axis_grad_gradient(Gradient& g) { pick_again(g, "TakeAlongAxis"); }
void scatter_nd_gradient(Gradient& g) {
  g.add(0, g.call("GatherNd", {g.dy(), g.x(1)}, IndexAttrs{g.attrs<ScatterAttrs>().base}));
}

struct ScatterEntry {
  const char* name;
  const char* summary;
  void (*gradient)(Gradient& g);
};

}  // namespace

void define_sort_ops(OpRegistry& ops);   // sort.cpp
void define_count_ops(OpRegistry& ops);  // count.cpp

void define_index_ops(OpRegistry& ops) {
  ops.define({
      .name = "GatherV2",
      .lua_name = "gather",
      .summary = "The parts of x at the given indices along an axis. Indices count from 1; negative ones from the end.",
      .inputs = {{"x", kAnyDType, "at least one axis"}, {"indices", kInts, "any shape", kOwnDType}},
      .attrs =
          attrs<GatherAttrs>({attr("axis", &GatherAttrs::axis, "x's axis to pick along").positional().otherwise("1"),
                              attr("index_base", &GatherAttrs::base, "what the first index is")}),
      .output = "x's shape with axis replaced by the axes of indices; x's dtype",
      .errors =
          "InvalidArgument for the index 0, an axis that is not there, or a ninth axis; OutOfRange for an index past "
          "the axis' end.",
      .source = "numpy.take, tf.gather",
      .example = "lutra.gather({10, 20, 30}, {3, 1, -1})  --> {30, 10, 30}",
      .shape = gather_shape,
      .gradient = gather_gradient,
      .saves = kX1,
      .cost = pick_cost,
      .gpu = kAnyDType,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "GatherNd",
      .lua_name = "gather_nd",
      .summary =
          "The parts of x at places that the last axis of indices spells out, an index for each of x's leading axes. "
          "Indices count from 1; negative ones from the end.",
      .inputs = {{"x", kAnyDType, "any shape"}, {"indices", kInts, "[..., k], k at most x's axes", kOwnDType}},
      .attrs = attrs<IndexAttrs>({attr("index_base", &IndexAttrs::base, "what the first index is")}),
      .output = "the shape of indices without its last axis, then x's without its first k; x's dtype",
      .errors =
          "InvalidArgument for the index 0, more indices a place than x has axes, or a ninth axis; OutOfRange for an "
          "index past its axis' end.",
      .source = "tf.gather_nd",
      .example = "lutra.gather_nd({{1, 2}, {3, 4}}, {{1, 2}, {-1, 1}})  --> {2, 3}",
      .shape = gather_nd_shape,
      .gradient = gather_nd_gradient,
      .saves = kX1,
      .cost = pick_cost,
      .gpu = kAnyDType,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "TakeAlongAxis",
      .lua_name = "take_along_axis",
      .summary =
          "Elements of x, each line along the axis by its own indices: out[i, j] = x[indices[i, j], j] for axis 1 of a "
          "matrix. It puts argsort's and argmax's answers to use. Indices count from 1; negative ones from the end.",
      .inputs = {{"x", kAnyDType, "at least one axis"},
                 {"indices", kInts, "x's axes; broadcasts but for axis", kOwnDType}},
      .attrs =
          attrs<GatherAttrs>({attr("axis", &GatherAttrs::axis, "x's axis to pick along").positional().otherwise("1"),
                              attr("index_base", &GatherAttrs::base, "what the first index is")}),
      .output = "the broadcast shape of x and indices with the size of indices along axis; x's dtype",
      .errors =
          "InvalidArgument for the index 0, an axis that is not there, or shapes that do not match; OutOfRange for an "
          "index past the axis' end.",
      .source = "numpy.take_along_axis",
      .example = "lutra.take_along_axis({{1, 2}, {3, 4}}, {{2}, {1}}, 2)  --> {{2}, {3}}",
      .shape = take_along_axis_shape,
      .gradient = take_along_axis_gradient,
      .saves = kX1,
      .cost = pick_cost,
      .gpu = kAnyDType,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "ScatterAdd",
      .lua_name = "scatter_add",
      .summary =
          "x with updates added to its parts at the given indices along the first axis; an index that stands twice is "
          "added to twice, in the order of the indices. Indices count from 1; negative ones from the end.",
      .inputs = {{"x", kNumbers, "at least one axis"},
                 {"indices", kInts, "any shape", kOwnDType},
                 {"updates", kNumbers, "the shape of indices, then x's without its first axis; or a scalar", kNumber}},
      .attrs = attrs<IndexAttrs>({attr("index_base", &IndexAttrs::base, "what the first index is")}),
      .output = "x's shape; the dtype x and updates promote to",
      .errors = "InvalidArgument for the index 0, if x and updates are bool, or if the shapes do not match; OutOfRange "
                "for an "
                "index past the axis' end.",
      .source = "tf.tensor_scatter_nd_add, numpy.add.at",
      .example = "lutra.scatter_add({0, 0, 0}, {1, 3, 1}, {10, 20, 30})  --> {40, 0, 20}",
      .shape = scatter_add_shape,
      .gradient = scatter_add_gradient,
      .saves = kX1,
      .cost = scatter_add_cost,
      .gpu = kNumbers,
      .flags = kChecksValues,
  });
  const ScatterEntry entries[] = {
      {"GatherGrad", "gather's gradient: zeros with each part of dy added where it came from.", gather_grad_gradient},
      {"TakeAlongAxisGrad", "take_along_axis' gradient: zeros with each element of dy added where it came from.",
       take_along_axis_grad_gradient},
      {"ScatterNd", "gather_nd's gradient: zeros with each part of dy added where it came from.", scatter_nd_gradient},
  };
  for (const ScatterEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .summary = entry.summary,
        .inputs = {{"dy", kFloats, "the result's"}, {"indices", kInts, "as given", kOwnDType}},
        .attrs = attrs<ScatterAttrs>({}),
        .output = "the shape of what was picked from; dy's dtype",
        .source = "tf.scatter_nd, which adds where indices stand twice",
        .shape = scatter_shape,
        .gradient = entry.gradient,
        .saves = kX1,
        .cost = scatter_cost,
        .gpu = kFloats,
        .flags = kHidden,
    });
  }
  define_sort_ops(ops);
  define_count_ops(ops);
}

}  // namespace lutra
