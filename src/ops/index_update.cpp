// Updates at indices and masks, composed of gathers, scatters and choices.

#include "ops/advanced_index.h"
#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/index.h"
#include "ops/shape.h"

namespace lutra {
namespace {

struct ScatterNdAttrs {
  Dims shape;
  IndexBase base;
};
// index_add, scatter
struct AlongAttrs {
  Axes axis;
  IndexBase base;
  Text reduce;
};

void scatter_nd_shape(Inference& inference) {
  const ScatterNdAttrs& attrs = inference.attrs<ScatterNdAttrs>();
  Shape indices = inference.shape(0), updates = inference.shape(1), wanted;
  for (int i = 0; i < attrs.shape.count; ++i) {
    require(attrs.shape.v[i] >= 0, inference.who(), ": shape[", inference.shown(i), "] is ", attrs.shape.v[i],
            ", expected 0 or more");
  }
  Shape out = attrs.shape.shape();
  require(indices.rank() > 0, inference.who(),
          ": indices is a scalar, expected a last axis that lists one index for each leading axis of shape");
  int64_t depth = indices[indices.rank() - 1];
  require(depth <= out.rank(), inference.who(), ": the last axis of indices ", indices, " lists ", depth,
          " indices, and shape ", out, " has ", out.rank(), out.rank() == 1 ? " axis" : " axes");
  int rank = indices.rank() - 1 + out.rank() - static_cast<int>(depth);
  require(rank <= kMaxRank, inference.who(), ": indices ", indices, " and shape ", out, " make ", rank,
          " axes, and there can be ", kMaxRank);
  for (int i = 0; i + 1 < indices.rank(); ++i) wanted.push(indices[i]);
  for (int i = static_cast<int>(depth); i < out.rank(); ++i) wanted.push(out[i]);
  require(updates == wanted || updates.rank() == 0, inference.who(), ": updates ", updates, " does not fit: indices ",
          indices, " in shape ", out, " take updates ", wanted, " or a scalar");
  inference.output(inference.key(), out);
}

void compose_scatter_nd(Composition& c) {
  Value zeros = c.fill(c.output_shape(), 0, c.key());
  c.give(c.call("TensorScatterAdd", {zeros, c.x(0), c.x(1)}, IndexAttrs{c.attrs<ScatterNdAttrs>().base}));
}

const char* scatter_op(const Inference& inference, std::string_view reduce) {
  if (reduce.empty() || reduce == "none") return "TensorScatterUpdate";
  if (reduce == "add") return "TensorScatterAdd";
  if (reduce == "max") return "TensorScatterMax";
  if (reduce == "min") return "TensorScatterMin";
  fail(ErrorCode::InvalidArgument, inference.who(), ": reduce is \"", reduce,
       "\", expected \"none\", \"add\", \"max\" or \"min\"");
}
const char* scatter_op(std::string_view reduce) {
  return reduce == "add"   ? "TensorScatterAdd"
         : reduce == "max" ? "TensorScatterMax"
         : reduce == "min" ? "TensorScatterMin"
                           : "TensorScatterUpdate";
}

// The sizes of the part that is updated: x's, except along the axis, where it is as long as indices.
Shape updated_part(const Shape& x, const Shape& indices, int axis) {
  Shape part = x;
  part[axis] = indices[axis];
  return part;
}

void scatter_shape(Inference& inference) {
  const AlongAttrs& attrs = inference.attrs<AlongAttrs>();
  Shape x = inference.shape(0), indices = inference.shape(1), updates = inference.shape(2), out;
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to scatter along");
  scatter_op(inference, attrs.reduce.view());
  int axis = one_axis(inference, attrs.axis, 0);
  bool fits = indices.rank() == x.rank();
  Shape part = x;
  if (fits) part = updated_part(x, indices, axis);
  fits = fits && broadcast(part, indices, &out) && out == part;
  require(fits, inference.who(), ": indices ", indices, " does not fit x ", x,
          ": they must have as many axes, and sizes that are equal or 1 except along axis ", inference.shown(axis));
  require(broadcast(part, updates, &out) && out == part, inference.who(), ": updates ", updates,
          " does not fit: indices ", indices, " of x ", x, " take updates that broadcast to ", part);
  inference.output_like(inference.key(), 0);
}

// The row-major position in x of each element to update, by the op that picks from there.
void compose_scatter(Composition& c) {
  const AlongAttrs& attrs = c.attrs<AlongAttrs>();
  Value x = c.x(0);
  Shape shape = c.shape(x);
  GatherAttrs along{single(axis_of(attrs.axis, shape.rank(), 0)), attrs.base};
  Value places = c.call("TakeAlongAxis", {c.reshape(c.numbers_below(shape.size()), shape), c.x(1)}, along);
  c.give(updated_at(c, scatter_op(attrs.reduce.view()), x, places, c.x(2)));
}

void index_add_shape(Inference& inference) {
  const AlongAttrs& attrs = inference.attrs<AlongAttrs>();
  Shape x = inference.shape(0), indices = inference.shape(1), updates = inference.shape(2), out;
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to add along");
  require(indices.rank() <= 1, inference.who(), ": indices ", indices, " has ", indices.rank(),
          " axes, expected a vector or a scalar; tensor_scatter_nd_add takes more");
  int axis = one_axis(inference, attrs.axis, 0);
  Shape part = x;
  part[axis] = indices.size();
  require(broadcast(part, updates, &out) && out == part, inference.who(), ": updates ", updates,
          " does not fit: indices ", indices, " of x ", x, " take updates that broadcast to ", part);
  inference.output_like(inference.key(), 0);
}

// Exchanges the axis with the first one.
Value with_axis_first(Composition& c, Value value, int axis) {
  if (axis == 0) return value;
  TransposeAttrs attrs;
  attrs.perm.count = static_cast<int8_t>(c.shape(value).rank());
  attrs.perm.is_list = true;
  for (int i = 0; i < attrs.perm.count; ++i) attrs.perm.v[i] = i == 0 ? axis : i == axis ? 0 : i;
  return c.call("Transpose", {value}, attrs);
}

void compose_index_add(Composition& c) {
  const AlongAttrs& attrs = c.attrs<AlongAttrs>();
  Value x = c.x(0), indices = c.x(1), updates = c.x(2);
  Shape part = c.shape(x);
  int axis = axis_of(attrs.axis, part.rank(), 0);
  part[axis] = c.shape(indices).size();
  if (c.shape(updates).rank() > 0) updates = with_axis_first(c, c.broadcast_to(updates, part), axis);
  indices = c.reshape(indices, Shape{part[axis]});
  Value sums = c.call("ScatterAdd", {with_axis_first(c, x, axis), indices, updates}, IndexAttrs{attrs.base});
  c.give(with_axis_first(c, sums, axis));
}

// `mask` with x's shape, or an error.
void require_mask(const Inference& inference) {
  Shape x = inference.shape(0), mask = inference.shape(1), both;
  require(broadcast(x, mask, &both) && both == x, inference.who(), ": mask ", mask, " does not broadcast to x ", x);
}

void masked_fill_shape(Inference& inference) {
  require_mask(inference);
  require(inference.shape(2).rank() == 0, inference.who(), ": value has the shape ", inference.shape(2),
          ", expected a number or a scalar; lutra.where(mask, values, x) takes one value per element");
  inference.output_like(inference.key(), 0);
}

void masked_select_shape(Inference& inference) {
  require_mask(inference);
  inference.output(inference.key(), Shape{inference.shape(0).size()});
}

void compose_masked_select(Composition& c) {
  Value x = c.x(0);
  Shape shape = c.shape(x);
  Value mask = c.reshape(c.broadcast_to(c.x(1), shape), Shape{shape.size()});
  c.give(c.call("BooleanMask", {c.reshape(x, Shape{shape.size()}), mask}));
}

AttrDef base_attr() { return attr("index_base", &AlongAttrs::base, "what the first index is"); }

}  // namespace

void define_index_update_ops(OpRegistry& ops) {
  ops.define({
      .name = "ScatterNdShaped",
      .lua_name = "scatter_nd",
      .log_name = "ScatterNd",
      .summary = "Zeros of the given shape, with updates added to the elements or slices at the given positions.",
      .inputs = {{"indices", kInts, "[..., k], k at most the axes of shape", kOwnDType},
                 {"updates", kEveryNumber,
                  "indices' shape without its last axis, then shape without its first k; or a scalar"}},
      .attrs = attrs<ScatterNdAttrs>({attr("shape", &ScatterNdAttrs::shape, "the result's shape").required(),
                                      attr("index_base", &ScatterNdAttrs::base, "what the first index is")}),
      .output = "shape; updates' dtype",
      .errors =
          "InvalidArgument for the index 0, more indices than shape has axes, or shapes that do not match; OutOfRange "
          "for an index past its axis' end.",
      .source = "tf.scatter_nd",
      .example = "lutra.scatter_nd({{2}, {4}, {2}}, {1, 5, 10}, {5})  --> {0, 11, 0, 5, 0}",
      .shape = scatter_nd_shape,
      .compose = compose_scatter_nd,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Scatter",
      .lua_name = "scatter",
      .summary =
          "x with single elements replaced along an axis: out[indices[i, j], j] = updates[i, j] for axis 1 of a "
          "matrix; of several for one position, the last one stays. The inverse of take_along_axis. Indices count "
          "from 1, negative ones from the end.",
      .inputs = {{"x", kEveryNumber, "at least one axis"},
                 {"indices", kInts, "x's number of axes; broadcasts, except along axis", kOwnDType},
                 {"updates", kEveryNumber, "broadcasts to x's shape with the size of indices along axis", kNumber}},
      .attrs = attrs<AlongAttrs>(
          {attr("axis", &AlongAttrs::axis, "x's axis to scatter along").positional().otherwise("1"),
           attr("reduce", &AlongAttrs::reduce,
                "\"add\", \"max\" or \"min\" combines updates with the elements, \"none\" replaces them")
               .otherwise("\"none\""),
           base_attr()}),
      .output = "x's shape; the dtype x and updates promote to",
      .errors = "InvalidArgument for the index 0, an axis that does not exist, another reduce, or shapes that do not "
                "match; OutOfRange for an index past the axis' end.",
      .source = "torch.scatter, numpy.put_along_axis",
      .example = "lutra.scatter({{1, 2}, {3, 4}}, {{2}, {1}}, 0, 2)  --> {{1, 0}, {0, 4}}",
      .shape = scatter_shape,
      .compose = compose_scatter,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "IndexAdd",
      .lua_name = "index_add",
      .summary =
          "x with updates added to its slices at the given indices along an axis; if an index occurs twice, both "
          "updates are added. Indices count from 1, negative ones from the end.",
      .inputs = {{"x", kEveryNumber, "at least one axis"},
                 {"indices", kInts, "[n]", kOwnDType},
                 {"updates", kEveryNumber, "broadcasts to x's shape with the size n along axis", kNumber}},
      .attrs = attrs<AlongAttrs>(
          {attr("axis", &AlongAttrs::axis, "x's axis to add along").positional().otherwise("1"), base_attr()}),
      .output = "x's shape; the dtype x and updates promote to",
      .errors =
          "InvalidArgument for the index 0, an axis that does not exist, or shapes that do not match; OutOfRange for "
          "an index past the axis' end.",
      .source = "torch.index_add",
      .example = "lutra.index_add({{1, 2}, {3, 4}}, {2, 2}, {{10, 1}, {10, 1}}, 2)  --> {{1, 13}, {3, 15}}",
      .shape = index_add_shape,
      .compose = compose_index_add,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "MaskedFill",
      .lua_name = "masked_fill",
      .summary = "x with a value where the mask is true.",
      .inputs = {{"x", kEveryDType, "any shape"},
                 {"mask", kBool, "broadcasts to x", kOwnDType},
                 {"value", kEveryDType, "a number or a scalar", kNumber}},
      .output = "x's shape; the dtype x and value promote to",
      .errors = "InvalidArgument if mask is not bool or does not broadcast to x, or if value is not a scalar.",
      .source = "torch.masked_fill",
      .example = "lutra.masked_fill({1, 2, 3}, {true, false, true}, 0)  --> {0, 2, 0}",
      .shape = masked_fill_shape,
      .compose =
          [](Composition& c) {
            c.give(c.call("SelectV2", {c.x(1), c.x(2), c.x(0)}));
          },
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "MaskedSelect",
      .lua_name = "masked_select",
      .summary =
          "The elements of x where the mask is true, in row-major order. The size depends on values, so it runs on "
          "the CPU. t[mask] picks whole slices along leading axes.",
      .inputs = {{"x", kEveryDType, "any shape"}, {"mask", kBool, "broadcasts to x", kOwnDType}},
      .output = "[n]; x's dtype",
      .errors = "InvalidArgument if mask is not bool or does not broadcast to x.",
      .source = "torch.masked_select",
      .example = "lutra.masked_select({{1, 2}, {3, 4}}, {true, false})  --> {1, 3}",
      .shape = masked_select_shape,
      .compose = compose_masked_select,
      .flags = kDynamic,
  });
}

}  // namespace lutra
