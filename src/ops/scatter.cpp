// Adding elements at indices: scatter_add, and the gradients of the ops that pick elements.

#include "ops/gradient.h"
#include "ops/index.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

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

void scatter_axis_shape(Inference& inference) {
  inference.output(inference.key(), inference.attrs<ScatterAttrs>().shape.shape());
}

// One addition per element of dy.
Cost scatter_cost(const KernelArgs& args) {
  double element = static_cast<double>(size_of(args.out[0].dtype));
  double added = static_cast<double>(args.in[0].size), results = static_cast<double>(args.out[0].size);
  return {.flops = added, .bytes = (3 * added + results) * element + args.in[1].bytes()};
}

Cost scatter_add_cost(const KernelArgs& args) {
  double element = static_cast<double>(size_of(args.out[0].dtype));
  double added = static_cast<double>(args.in[2].size), results = static_cast<double>(args.out[0].size);
  return {.flops = added, .bytes = (3 * added + 2 * results) * element + args.in[1].bytes()};
}

GatherAttrs picking(int64_t axis, IndexBase base) { return {single(axis), base}; }

void scatter_add_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(2)) g.add(2, g.call("GatherV2", {g.dy(), g.x(1)}, picking(0, g.attrs<IndexAttrs>().base)));
}

// These are linear: the gradient of each is the op that it is the gradient of.
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

void define_scatter_ops(OpRegistry& ops) {
  ops.define({
      .name = "ScatterAdd",
      .lua_name = "scatter_add",
      .summary =
          "Adds updates to the slices of x at the given indices along the first axis; if an index occurs twice, both "
          "updates are added, in the order of the indices. Indices count from 1, negative ones from the end.",
      .inputs = {{"x", kEveryNumber, "at least one axis"},
                 {"indices", kInts, "any shape", kOwnDType},
                 {"updates", kEveryNumber, "the shape of indices, then x's without its first axis; or a scalar",
                  kNumber}},
      .attrs = attrs<IndexAttrs>({attr("index_base", &IndexAttrs::base, "what the first index is")}),
      .output = "x's shape; the dtype x and updates promote to",
      .errors = "InvalidArgument for the index 0, if x and updates are bool, or if the shapes do not match; OutOfRange "
                "for an index past the axis' end.",
      .source = "tf.tensor_scatter_nd_add, numpy.add.at",
      .example = "lutra.scatter_add({0, 0, 0}, {1, 3, 1}, {10, 20, 30})  --> {40, 0, 20}",
      .shape = scatter_add_shape,
      .gradient = scatter_add_gradient,
      .saves = kX1,
      .fault = wrong_index,
      .cost = scatter_add_cost,
      .gpu = kNumbers,
  });
  const ScatterEntry entries[] = {
      {"GatherGrad", "gather's gradient: zeros, with each slice of dy added where it was picked.",
       gather_grad_gradient},
      {"TakeAlongAxisGrad", "take_along_axis' gradient: zeros, with each element of dy added where it was picked.",
       take_along_axis_grad_gradient},
      {"ScatterNd", "gather_nd's gradient: zeros, with each slice of dy added where it was picked.",
       scatter_nd_gradient},
  };
  for (const ScatterEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .summary = entry.summary,
        .inputs = {{"dy", kInexact, "the result's"}, {"indices", kInts, "as given", kOwnDType}},
        .attrs = inner_attrs<ScatterAttrs>(),
        .output = "the shape of what was picked from; dy's dtype",
        .source = "tf.scatter_nd, which adds where indices occur twice",
        .shape = scatter_axis_shape,
        .gradient = entry.gradient,
        .saves = kX1,
        .cost = scatter_cost,
        .gpu = kFloats,
        .flags = kHidden,
    });
  }
}

}  // namespace lutra
