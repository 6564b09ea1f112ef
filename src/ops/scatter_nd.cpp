// Tensors with elements or slices at given positions replaced by updates, or combined with them.

#include "ops/gradient.h"
#include "ops/index.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void scatter_nd_update_shape(Inference& inference) {
  Shape x = inference.shape(0), indices = inference.shape(1), updates = inference.shape(2), wanted;
  require(indices.rank() > 0, inference.who(),
          ": indices is a scalar, expected a last axis that lists one index for each of x's leading axes");
  int64_t depth = indices[indices.rank() - 1];
  require(depth <= x.rank(), inference.who(), ": the last axis of indices ", indices, " lists ", depth,
          " indices, and x ", x, " has ", x.rank(), x.rank() == 1 ? " axis" : " axes");
  require_axes(inference, indices.rank() - 1 + x.rank() - static_cast<int>(depth));
  for (int i = 0; i + 1 < indices.rank(); ++i) wanted.push(indices[i]);
  for (int i = static_cast<int>(depth); i < x.rank(); ++i) wanted.push(x[i]);
  require(updates == wanted || updates.rank() == 0, inference.who(), ": updates ", updates, " does not fit: indices ",
          indices, " of x ", x, " take updates ", wanted, " or a scalar");
  inference.output_like(inference.key(), 0);
}

// One operation per element of the updates.
Cost scatter_nd_cost(const KernelArgs& args) {
  double element = static_cast<double>(size_of(args.out[0].dtype));
  double updated = static_cast<double>(args.in[2].size), results = static_cast<double>(args.out[0].size);
  return {.flops = updated, .bytes = (3 * updated + 2 * results) * element + args.in[1].bytes()};
}

Value picked(Gradient& g, Value from) { return g.call("GatherNd", {from, g.x(1)}, g.attrs<IndexAttrs>()); }

// If positions occur several times, only the last update reached the result.
void update_gradient(Gradient& g) {
  const IndexAttrs& attrs = g.attrs<IndexAttrs>();
  if (g.needs(0)) g.add(0, g.call("TensorScatterUpdate", {g.dy(), g.x(1), 0.0}, attrs));
  if (!g.needs(2)) return;
  Shape indices = g.shape_of(1), x = g.shape_of(0), rows, slices;
  int depth = static_cast<int>(indices[indices.rank() - 1]);
  for (int i = 0; i + 1 < indices.rank(); ++i) rows.push(indices[i]);
  for (int i = 0; i < depth; ++i) slices.push(x[i]);
  Value slopes = picked(g, g.dy());
  if (rows.size() == 0 || slices.size() == 0) return g.add(2, slopes);
  Value numbers = g.reshape(g.numbers_below(rows.size()), rows);
  Value last = g.call("TensorScatterUpdate", {g.fill(slices, -1, DType::Int64), g.x(1), numbers}, attrs);
  Value is_last = g.call("Equal", {picked(g, last), numbers});
  for (int i = depth; i < x.rank(); ++i) rows.push(1);
  g.add(2, g.call("SelectV2", {g.reshape(is_last, rows), slopes, 0.0}));
}

void scattered_sum_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(2)) g.add(2, picked(g, g.dy()));
}

// Of equal extremes at a position, each gets an equal share.
void scattered_extreme_gradient(Gradient& g) {
  Value x = g.x_in_key(0), updates = g.x_in_key(2), dtype_one = g.fill(Shape(), 1, g.key());
  Value stayed = g.cast(g.call("Equal", {x, g.y()}), g.key());
  Shape wanted = g.shape(picked(g, g.y()));
  Value reached = g.broadcast_to(g.cast(g.call("Equal", {picked(g, g.y()), updates}), g.key()), wanted);
  Value count = g.call("TensorScatterAdd", {stayed, g.x(1), reached}, g.attrs<IndexAttrs>());
  Value share = g.dy() / g.call("Maximum", {count, dtype_one});
  if (g.needs(0)) g.add(0, share * stayed);
  if (g.needs(2)) g.add(2, picked(g, share) * reached);
}

struct ScatterNdEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* source;
  const char* example;
  DTypes dtypes;
  void (*gradient)(Gradient& g);
  uint16_t saves;
};

}  // namespace

void define_scatter_nd_ops(OpRegistry& ops) {
  const ScatterNdEntry entries[] = {
      {"TensorScatterUpdate", "tensor_scatter_nd_update",
       "x with the elements or slices at the given positions replaced by updates; of several for one position, the "
       "last one stays.",
       "tf.tensor_scatter_nd_update",
       "lutra.tensor_scatter_nd_update({1, 2, 3}, {{3}, {1}}, {30, 10})  --> {10, 2, 30}", kEveryDType, update_gradient,
       kX1},
      {"TensorScatterAdd", "tensor_scatter_nd_add",
       "x with updates added to the elements or slices at the given positions, in the order of the indices; integers "
       "wrap.",
       "tf.tensor_scatter_nd_add, numpy.add.at",
       "lutra.tensor_scatter_nd_add({1, 2, 3}, {{3}, {1}, {3}}, {1, 1, 1})  --> {2, 2, 5}", kEveryNumber,
       scattered_sum_gradient, kX1},
      {"TensorScatterMax", "tensor_scatter_nd_max",
       "x with the elements or slices at the given positions replaced by the larger of them and the updates; nan "
       "stays.",
       "tf.tensor_scatter_nd_max, numpy.maximum.at",
       "lutra.tensor_scatter_nd_max({1, 2, 3}, {{3}, {1}}, {0, 9})  --> {9, 2, 3}", kNumbers,
       scattered_extreme_gradient, kX0 | kX1 | kX2 | kY0},
      {"TensorScatterMin", "tensor_scatter_nd_min",
       "x with the elements or slices at the given positions replaced by the smaller of them and the updates; nan "
       "stays.",
       "tf.tensor_scatter_nd_min, numpy.minimum.at",
       "lutra.tensor_scatter_nd_min({1, 2, 3}, {{3}, {1}}, {0, 9})  --> {1, 2, 0}", kNumbers,
       scattered_extreme_gradient, kX0 | kX1 | kX2 | kY0},
  };
  for (const ScatterNdEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .lua_name = entry.lua_name,
        .summary = entry.summary,
        .inputs = {{"x", entry.dtypes, "any shape"},
                   {"indices", kInts, "[..., k], k at most x's axes", kOwnDType},
                   {"updates", entry.dtypes,
                    "indices' shape without its last axis, then x's without its first k; or a scalar", kNumber}},
        .attrs = attrs<IndexAttrs>({attr("index_base", &IndexAttrs::base, "what the first index is")}),
        .output = "x's shape; the dtype x and updates promote to",
        .errors =
            "InvalidArgument for the index 0, more indices than x has axes, or shapes that do not match; OutOfRange "
            "for an index past its axis' end.",
        .source = entry.source,
        .example = entry.example,
        .shape = scatter_nd_update_shape,
        .gradient = entry.gradient,
        .saves = entry.saves,
        .fault = wrong_index,
        .cost = scatter_nd_cost,
        .gpu = entry.dtypes & kAnyDType,
    });
  }
}

}  // namespace lutra
